import type { AgentOptions, EventLog } from '@pawl/runtime';
import type { Assembly } from '../assembly.ts';

/** A mistake somebody could make, as another way to put a process together. */
export type Bug = {
  readonly name: string;
  /** What is wrong, in a line. */
  readonly what: string;
  readonly parts: Partial<Assembly>;
};

/** The options with another log in the place of theirs. */
export function withLog(options: AgentOptions, change: (log: EventLog) => EventLog): AgentOptions {
  return options.log === undefined ? options : { ...options, log: change(options.log) };
}
