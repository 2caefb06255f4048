// SHA-256 (FIPS 180-4). WebCrypto has it too, but answers later, which costs more than the hash.

const primes = (count: number): number[] => {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
};
const fraction = (value: number): number => (value - Math.floor(value)) * 2 ** 32;
const START = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const K = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const W = new Int32Array(64);
const encoder = new TextEncoder();

/** Adds a block of 64 bytes to the state. */
function addBlock(state: Int32Array, view: DataView, from: number): void {
  for (let i = 0; i < 16; i += 1) W[i] = view.getInt32(from + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const [x, y] = [W[i - 15] ?? 0, W[i - 2] ?? 0];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    W[i] = (W[i - 16] ?? 0) + s0 + (W[i - 7] ?? 0) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] ?? 0) + (W[i] ?? 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const next = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i += 1) state[i] = (state[i] ?? 0) + (next[i] ?? 0);
}

/** The SHA-256 of a text, as 16 characters of 16 bits each. It stands for a secret that is not to stay in memory. */
export function digest(text: string): string {
  const given = encoder.encode(text);
  const bytes = new Uint8Array((((given.length + 8) >> 6) + 1) << 6);
  bytes.set(given);
  bytes[given.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 4, given.length * 8);
  const state = new Int32Array(START);
  for (let at = 0; at < bytes.length; at += 64) addBlock(state, view, at);
  return String.fromCharCode(...new Uint16Array(state.buffer));
}
