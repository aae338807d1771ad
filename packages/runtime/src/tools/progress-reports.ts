import { stripVTControlCharacters } from 'node:util';

/** How often progress is reported, and how much at a time. */
const reportIntervalMs = 250;
const reportCharsMax = 2_000;

/** Reports a command's output at a limited rate. */
export function createProgressReporter(report: (progress: string) => void): {
  add(chunk: Buffer): void;
  stop(): void;
} {
  const decoder = new TextDecoder();
  let pending = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    timer = null;
    report(stripVTControlCharacters(pending));
    pending = '';
  };
  return {
    add(chunk) {
      pending = (pending + decoder.decode(chunk, { stream: true })).slice(-reportCharsMax);
      if (pending !== '') timer ??= setTimeout(flush, reportIntervalMs);
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
