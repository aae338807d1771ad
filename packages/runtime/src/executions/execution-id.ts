import { hash } from 'node:crypto';

/**
 * Derives a unique id for one execution of one call. Call ids alone are not unique: a provider may reuse them within a
 * session or across sessions.
 */
export function deriveExecutionId(session: string, request: number, callId: string): string {
  return hash('sha256', JSON.stringify([session, request, callId]), 'hex').slice(0, 40);
}
