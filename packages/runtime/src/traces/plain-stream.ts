import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Yields the bytes of a source and decompresses gzip, which it detects by the first two bytes. */
export async function* decompressBytes(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  const bytes = prependChunk(head, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) yield* bytes;
  else yield* gunzipBytes(bytes);
}

async function* prependChunk(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* gunzipBytes(compressed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const input = Readable.from(compressed);
  const gunzip = createGunzip();
  // Forward source errors to the decompressor, so that there is one place to handle both.
  input.on('error', (error) => gunzip.destroy(error));
  try {
    yield* input.pipe(gunzip) as AsyncIterable<Buffer>;
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}
