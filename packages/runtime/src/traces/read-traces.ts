import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTraceProblem, unknownFormatText } from './read-lines.ts';
import { readTraceSource } from './read-source.ts';
import type { SessionStoreContext } from './session-store-context.ts';
import { isCompanionFile, openSessionStore } from './session-stores.ts';
import type { TraceItem } from './trace-item.ts';
import { traceLimits, type TraceLimits } from './trace-limits.ts';
import { checkTracePaths, listTraceSources, type TraceSource } from './trace-sources.ts';

export type ReadTracesOptions = {
  /** Read for the path `-`. */
  readonly stdin?: Readable;
  readonly limits?: Partial<TraceLimits>;
  /** Receives the current file and the total number of bytes read. */
  readonly onProgress?: (file: string, bytes: number) => void;
  /** Stops reading without an error; items read so far are still yielded. */
  readonly signal?: AbortSignal;
};

/**
 * Yields the recorded runs in files and folders of any supported format, and the problems found. Throws a
 * `TraceSourceError` before reading anything if a path cannot be read.
 */
export async function* readTraces(
  paths: readonly string[],
  options: ReadTracesOptions = {},
): AsyncGenerator<TraceItem> {
  const limits = { ...traceLimits, ...options.limits };
  await checkTracePaths(paths);
  const seenSessions = new Set<string>();
  let before = 0;
  for await (const source of listTraceSources(paths, limits)) {
    if (options.signal?.aborted === true) return;
    if ('problem' in source || 'run' in source) {
      yield source;
      continue;
    }
    let bytes = 0;
    const count = (length: number): void => {
      bytes += length;
      options.onProgress?.(source.file, before + bytes);
    };
    for await (const item of readOneSource(source, limits, { ...options, count, seenSessions })) {
      if (!isExpectedProblem(item, source)) yield item;
    }
    before += bytes;
  }
}

/** What agents write beside their sessions is no problem in a folder. */
function isExpectedProblem(item: TraceItem, { isFromFolder, file }: TraceSource): boolean {
  return (
    'problem' in item && isFromFolder && item.problem.message === unknownFormatText && isCompanionFile(file)
  );
}

type SourceReadOptions = ReadTracesOptions & Pick<SessionStoreContext, 'count' | 'seenSessions'>;

async function* readOneSource(
  source: TraceSource,
  limits: TraceLimits,
  options: SourceReadOptions,
): AsyncGenerator<TraceItem> {
  const store = await openSessionStore({ ...options, source, limits });
  if (store !== null) {
    for await (const item of store) {
      yield item;
      if (options.signal?.aborted === true) return;
    }
    return;
  }
  const stream = source.path === null ? options.stdin : await openTraceFile(source.path);
  if (stream === undefined) return;
  const stop = (): void => void stream.destroy();
  options.signal?.addEventListener('abort', stop, { once: true });
  const failure: StreamFailure = { message: null };
  try {
    yield* readTraceSource(
      captureFailure(decompressBytes(countBytes(stream, options.count)), failure),
      source,
      limits,
    );
  } finally {
    options.signal?.removeEventListener('abort', stop);
    stream.destroy();
  }
  if (failure.message !== null && options.signal?.aborted !== true) {
    yield createTraceProblem(source, null, `reading failed: ${failure.message}`);
  }
}

const chunkBytesMax = 1024 * 1024;

/**
 * Opens a file for reading. A small file is read in one piece, because a buffer for each end of a small file would cost
 * more than the file; what is appended to it meanwhile is not read.
 */
async function openTraceFile(path: string): Promise<Readable> {
  const size = await stat(path).then(
    (stats) => (stats.isFile() ? stats.size : 0),
    () => 0,
  );
  const isSmall = size > 0 && size <= chunkBytesMax;
  return createReadStream(
    path,
    isSmall ? { highWaterMark: size, end: size - 1 } : { highWaterMark: chunkBytesMax },
  );
}

type StreamFailure = { message: string | null };

async function* countBytes(stream: Readable, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    count(bytes.length);
    yield bytes;
  }
}

/**
 * A source that fails midway ends early; the data before the failure is used, and the reason is reported afterward.
 */
async function* captureFailure(bytes: AsyncIterable<Buffer>, failure: StreamFailure): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    failure.message = error instanceof Error ? error.message : String(error);
  }
}

/** Yields the bytes of a source and decompresses gzip, which it detects by the first two bytes. */
async function* decompressBytes(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
  // Larger pieces than the default of 16 kB cost less time per byte.
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // Forward source errors to the decompressor, so that there is one place to handle both.
  input.on('error', (error) => gunzip.destroy(error));
  try {
    yield* input.pipe(gunzip) as AsyncIterable<Buffer>;
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}
