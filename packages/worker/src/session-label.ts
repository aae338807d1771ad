/** Formats a session id for messages. */
export function formatSessionLabel(session: string): string {
  return `session ${JSON.stringify(session)}`;
}
