const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 10;

/** A line that is not empty. */
export interface Line {
  /** The number of the line, starting at 1. Empty lines are counted too. */
  number: number;
  /** Undefined if the line is too long. */
  bytes: Buffer | undefined;
}

const isEmpty = (bytes: Buffer): boolean => bytes.every((byte) => [9, 11, 12, 13, 32].includes(byte));

/** Collects the bytes of one line, up to the maximum length of a line. */
class LineBuffer {
  #parts: Buffer[] = [];
  #bytes = 0;

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= MAX_LINE_BYTES + 1) this.#parts.push(part);
    else this.#parts = [];
  }

  /** Returns the line without its carriage return, and begins a new line. */
  take(): Buffer | undefined {
    const all = Buffer.concat(this.#parts);
    const line = all.at(-1) === 13 ? all.subarray(0, -1) : all;
    const isTooLong = this.#bytes > MAX_LINE_BYTES + 1 || line.length > MAX_LINE_BYTES;
    this.#parts = [];
    this.#bytes = 0;
    return isTooLong ? undefined : line;
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;

/**
 * Splits a stream into lines that end with LF or CRLF. Skips empty lines and a byte order mark.
 *
 * Keeps only one line in memory, up to the maximum length of a line.
 */
export async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const line = new LineBuffer();
  let number = 0;
  const finish = (): Line | undefined => {
    number += 1;
    const taken = line.take();
    const bytes = taken && number === 1 ? withoutMark(taken) : taken;
    return bytes && isEmpty(bytes) ? undefined : { number, bytes };
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end));
      from = end + 1;
      const done = finish();
      if (done) yield done;
    }
    if (from < chunk.length) line.add(chunk.subarray(from));
  }
  const last = finish();
  if (last) yield last;
}
