import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { plainBytes } from './plain-stream.ts';
import { problem } from './read-lines.ts';
import { readSource } from './read-source.ts';
import type { TraceItem } from './trace-item.ts';
import { traceLimits, type TraceLimits } from './trace-limits.ts';
import { checkPaths, sourcesIn, type TraceSource } from './trace-sources.ts';

export type ReadTracesOptions = {
  /** Read for the path `-`. */
  readonly stdin?: Readable;
  readonly limits?: Partial<TraceLimits>;
  /** Told now and then which file is being read, and how many bytes have been read in all. */
  readonly onProgress?: (file: string, bytes: number) => void;
  /** Stops the reading; what has been read is handed out, and no error is thrown. */
  readonly signal?: AbortSignal;
};

/**
 * The recorded runs in files and folders of any format that is known, one after the other, and the problems on the way.
 * Throws a `TraceSourceError` when a path itself cannot be read, before it reads any.
 */
export async function* readTraces(
  paths: readonly string[],
  options: ReadTracesOptions = {},
): AsyncGenerator<TraceItem> {
  const limits = { ...traceLimits, ...options.limits };
  await checkPaths(paths);
  let before = 0;
  for await (const source of sourcesIn(paths, limits)) {
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
    yield* readOne(source, limits, { ...options, count });
    before += bytes;
  }
}

type Reading = ReadTracesOptions & { readonly count: (bytes: number) => void };

async function* readOne(
  source: TraceSource,
  limits: TraceLimits,
  reading: Reading,
): AsyncGenerator<TraceItem> {
  const stream =
    source.path === null ? reading.stdin : createReadStream(source.path, { highWaterMark: 1024 * 1024 });
  if (stream === undefined) return;
  const stop = (): void => void stream.destroy();
  reading.signal?.addEventListener('abort', stop, { once: true });
  const failure: Failure = { message: null };
  try {
    yield* readSource(untilFailure(plainBytes(counted(stream, reading.count)), failure), source, limits);
  } finally {
    reading.signal?.removeEventListener('abort', stop);
    stream.destroy();
  }
  if (failure.message !== null && reading.signal?.aborted !== true) {
    yield problem(source, null, `it cannot be read on: ${failure.message}`);
  }
}

type Failure = { message: string | null };

async function* counted(stream: Readable, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    count(bytes.length);
    yield bytes;
  }
}

/** A source that breaks off ends; what came before is used, and the reason is told afterwards. */
async function* untilFailure(bytes: AsyncIterable<Buffer>, failure: Failure): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    failure.message = error instanceof Error ? error.message : String(error);
  }
}
