import { openRotatingFile, type RotatingFile } from '@pawl/runtime/logging';
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
  const problem = `Cannot write the ${name} to ${path}`;
  try {
    prepare?.();
    return openRotatingFile(path, { onError: (reason) => warn(`${problem} at the moment: ${reason}`) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${problem}: ${reason}`, { cause: error });
  }
}
