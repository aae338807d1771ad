import { format } from 'node:util';

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug'] as const;

/**
 * Redirects console output and Node warnings to `onText` while a view owns the terminal, because they would overwrite it.
 * The returned function restores everything.
 */
export function captureOutput(onText: (text: string) => void): () => void {
  const originals = consoleMethods.map((method) => [method, console[method]] as const);
  for (const method of consoleMethods) console[method] = (...args: unknown[]) => onText(format(...args));
  const listeners = process.listeners('warning');
  const onWarning = (warning: Error): void => onText(warning.message);
  process.removeAllListeners('warning');
  process.on('warning', onWarning);
  return () => {
    for (const [method, original] of originals) console[method] = original;
    process.off('warning', onWarning);
    for (const listener of listeners) process.on('warning', listener);
  };
}
