/** What a session is called in what people are told. */
export function named(session: string): string {
  return `session ${JSON.stringify(session)}`;
}
