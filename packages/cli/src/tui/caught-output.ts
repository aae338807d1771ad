import { format } from 'node:util';

const methods = ['log', 'info', 'warn', 'error', 'debug'] as const;

/**
 * While a view has the terminal, what libraries print and Node warns of would be written across it. It is handed over
 * instead; the function returned puts everything back.
 */
export function catchOutput(hear: (text: string) => void): () => void {
  const consoleBefore = methods.map((method) => [method, console[method]] as const);
  for (const method of methods) console[method] = (...args: unknown[]) => hear(format(...args));
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
