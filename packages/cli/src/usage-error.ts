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
