import { format } from 'node:util';

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug'] as const;

/**
 * Redirects console output and Node warnings to `hear` while a view owns the terminal, because they would overwrite it.
 * The returned function restores everything.
 */
export function captureOutput(hear: (text: string) => void): () => void {
  const consoleBefore = consoleMethods.map((method) => [method, console[method]] as const);
  for (const method of consoleMethods) console[method] = (...args: unknown[]) => hear(format(...args));
  const listeners = process.listeners('warning');
  const onWarning = (warning: Error): void => hear(warning.message);
  process.removeAllListeners('warning');
  process.on('warning', onWarning);
  return () => {
    for (const [method, before] of consoleBefore) console[method] = before;
    process.off('warning', onWarning);
    for (const listener of listeners) process.on('warning', listener);
  };
}
