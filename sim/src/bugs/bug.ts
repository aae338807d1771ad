import type { AgentOptions, EventLog } from '@pawl/runtime';
import type { ProcessAssembly } from '../process-assembly.ts';

/** A plausible bug, implemented as an alternative process assembly. */
export type PlantedBug = {
  readonly name: string;
  /** One-line description of the bug. */
  readonly what: string;
  readonly parts: Partial<ProcessAssembly>;
};

/** Returns the options with their log replaced. */
export function replaceLog(options: AgentOptions, change: (log: EventLog) => EventLog): AgentOptions {
  return options.log === undefined ? options : { ...options, log: change(options.log) };
}
