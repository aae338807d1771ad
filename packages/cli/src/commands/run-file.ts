import { openRotatingFile, type RotatingFile } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';

export type RunFileOptions = {
  /** The user-facing name: the trace, the log. */
  readonly name: string;
  readonly path: string;
  readonly warn: (line: string) => void;
  /** Runs before the file is opened. */
  readonly prepare?: () => void;
};

/** Opens a file that a run appends to. A failure to open it is an error; a later write failure is only a warning. */
export function openRunFile({ name, path, warn, prepare }: RunFileOptions): RotatingFile {
  const problem = `The ${name} cannot be written to ${path}`;
  try {
    prepare?.();
    return openRotatingFile(path, { onError: (why) => warn(`${problem} at the moment: ${why}`) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${problem}: ${why}`, { cause: error });
  }
}
