import type { Json } from '@pawl/governor';
import type { RecordedRun, RecordedStep } from '../../src/traces-entry.ts';

/** A step without its number. */
export type ScriptedStep = Omit<RecordedStep, 'i'>;

/**
 * A short run, and what the governor must make of it. A healthy run is never blocked or ended, and advised only if
 * `advice` allows it. A stuck run is told by step `toldBy`, and ended by step `endedBy` if that is given.
 */
export type ScriptedRun = {
  readonly title: string;
  readonly steps: readonly ScriptedStep[];
} & (
  | { readonly kind: 'healthy'; readonly advice?: boolean }
  | { readonly kind: 'stuck'; readonly toldBy: number; readonly endedBy?: number }
);

export function toRecordedRun({ title, steps }: ScriptedRun): RecordedRun {
  return { id: title, steps: steps.map((step, i) => ({ i, ...step })) };
}

export const call = (tool: string, args: Json, result: Json, error?: boolean): ScriptedStep => ({
  role: 'assistant',
  tool,
  args,
  result,
  ...(error !== undefined && { error }),
});

/** A shell command whose failure only its output shows. */
export const shell = (command: string, output: string): ScriptedStep => call('shell', { command }, output);

/** A shell command whose failure the agent's host marks. */
export const failed = (command: string, output: string): ScriptedStep =>
  call('shell', { command }, output, true);

export const say = (text: string): ScriptedStep => ({ role: 'assistant', text });

export const user = (text: string): ScriptedStep => ({ role: 'user', text });

/** Content that is longer than a confirmation. */
export const longPage = (title: string): string => `Page: ${title}\n${`About ${title}. `.repeat(40)}`;

/** `count` steps, or groups of steps, made from their number. */
export function times(
  count: number,
  make: (index: number) => ScriptedStep | readonly ScriptedStep[],
): readonly ScriptedStep[] {
  return Array.from({ length: count }, (_, index) => make(index)).flat();
}

/** The same steps, `seconds` apart. */
export function every(seconds: number, steps: readonly ScriptedStep[]): readonly ScriptedStep[] {
  return steps.map((step, index) => ({ ...step, at: 1_700_000_000_000 + index * seconds * 1_000 }));
}
