// SHA-256 (FIPS 180-4). WebCrypto offers it only asynchronously, and waiting for the promise costs more than the hash.

const primes = (count: number): number[] => {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
};
const fraction = (value: number): number => (value - Math.floor(value)) * 2 ** 32;
// All values stay 32-bit integers, because JavaScript engines need several times as long with larger numbers.
const START = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const K = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const W = new Int32Array(64);
const state = new Int32Array(8);
const halves = new Uint16Array(state.buffer);
let scratch = new Uint8Array(1024);
const encoder = new TextEncoder();

const at = (words: Int32Array, index: number): number => words[index] ?? 0;

function expand(view: DataView, from: number): void {
  for (let i = 0; i < 16; i += 1) W[i] = view.getInt32(from + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const x = at(W, i - 15);
    const y = at(W, i - 2);
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    W[i] = (at(W, i - 16) + at(W, i - 7) + s0 + s1) | 0;
  }
}

/** Processes one block of 64 bytes. */
function addBlock(view: DataView, from: number): void {
  expand(view, from);
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(W, i)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = at(state, 0) + a;
  state[1] = at(state, 1) + b;
  state[2] = at(state, 2) + c;
  state[3] = at(state, 3) + d;
  state[4] = at(state, 4) + e;
  state[5] = at(state, 5) + f;
  state[6] = at(state, 6) + g;
  state[7] = at(state, 7) + h;
}

/** Returns the SHA-256 of a text as a string of 16 UTF-16 code units. Used as a cache key in place of the secret itself. */
export function digest(text: string): string {
  // UTF-8 needs at most three bytes for each code unit. The padding of the last block needs up to 72 more.
  if (scratch.length < 3 * text.length + 72) scratch = new Uint8Array(2 * (3 * text.length + 72));
  const { written } = encoder.encodeInto(text, scratch);
  const length = (((written + 8) >> 6) + 1) << 6;
  scratch.fill(0, written, length);
  scratch[written] = 0x80;
  const view = new DataView(scratch.buffer);
  view.setUint32(length - 4, written * 8);
  state.set(START);
  for (let from = 0; from < length; from += 64) addBlock(view, from);
  scratch.fill(0, 0, length);
  return String.fromCharCode(...halves);
}
