import { openRotatingFile, type RotatingFile } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';

export type RunFile = {
  /** What it is to the user: the trace, the log. */
  readonly name: string;
  readonly path: string;
  readonly warn: (line: string) => void;
  /** What has to be done before it can be opened. */
  readonly prepare?: () => void;
};

/** A file that a run adds lines to. One that cannot be written at first is an error; later, only a warning. */
export function openRunFile({ name, path, warn, prepare }: RunFile): RotatingFile {
  const problem = `The ${name} cannot be written to ${path}`;
  try {
    prepare?.();
    return openRotatingFile(path, { onTrouble: (why) => warn(`${problem} at the moment: ${why}`) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${problem}: ${why}`, { cause: error });
  }
}
