/**
 * Whether a command failed, by its exit code. Exit code 1 without output is a negative answer and not a failure, as
 * with grep and diff.
 */
export function hasCommandFailed(exitCode: number, output: string): boolean {
  return exitCode !== 0 && !(exitCode === 1 && output.trim() === '');
}
