/** The command was called wrongly. Its message is the one line the user sees: what, where, what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
