/** The command was called wrongly. Its message is the one line the user sees: what, where, what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type ErrorClass = abstract new (...args: never[]) => Error;

/** An error of one of these kinds is the user's to put right: wrong usage, with the same message. Any other stays as it is. */
export function asUsageError(error: unknown, ...kinds: readonly ErrorClass[]): unknown {
  return error instanceof Error && kinds.some((kind) => error instanceof kind)
    ? new UsageError(error.message, { cause: error })
    : error;
}
