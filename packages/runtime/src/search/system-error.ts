/**
 * Returns the system's code for a failed operation, such as `ENOENT`. Rethrows an error without a code, because it is a
 * bug.
 */
export function getSystemErrorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
