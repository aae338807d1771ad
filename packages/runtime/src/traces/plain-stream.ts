import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The bytes of a source, unpacked if they are gzip, which shows in the first two of them. */
export async function* plainBytes(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  const whole = rejoined(head, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) yield* whole;
  else yield* unpacked(whole);
}

async function* rejoined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* unpacked(packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const input = Readable.from(packed);
  const gunzip = createGunzip();
  // A broken source breaks the unpacking too, so that there is one place to hear of either.
  input.on('error', (error) => gunzip.destroy(error));
  try {
    yield* input.pipe(gunzip) as AsyncIterable<Buffer>;
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}
