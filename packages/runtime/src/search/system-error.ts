/** The system's code for a failed operation, such as `ENOENT`. What has none is a mistake of ours and goes on. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
