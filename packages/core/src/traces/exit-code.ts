/**
 * Whether a command failed, by its exit code. One that says nothing and ends with 1 has only answered no: that is how
 * grep finds nothing and diff finds a difference.
 */
export function hasFailed(exitCode: number, output: string): boolean {
  return exitCode !== 0 && !(exitCode === 1 && output.trim() === '');
}
