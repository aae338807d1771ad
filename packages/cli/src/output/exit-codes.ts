/** The exit codes of all commands. */
export const exitCodes = {
  finished: 0,
  /** The command failed although it was called correctly. */
  failed: 1,
  /** Usage error: an unknown flag, a missing folder, an empty goal. */
  usage: 2,
  /** The governor stopped the session because it was stuck. */
  stuck: 3,
  /** A budget was exhausted. */
  budget: 4,
  /** The model could not be reached or gave no answer. */
  model: 5,
  /** A permission was required and denied. */
  denied: 6,
  /** Interrupted from outside: Ctrl-C, SIGTERM, or a pause that nobody here can end. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * The command was called incorrectly. Its message is the one line the user sees: what is wrong, where, and what to do.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type ErrorClass = abstract new (...args: never[]) => Error;

/**
 * Converts an error of one of these classes to a usage error with the same message; any other error is returned
 * unchanged.
 */
export function toUsageError(error: unknown, ...kinds: readonly ErrorClass[]): unknown {
  return error instanceof Error && kinds.some((kind) => error instanceof kind)
    ? new UsageError(error.message, { cause: error })
    : error;
}
