import { hash } from 'node:crypto';

/**
 * Names one run of one call. A provider may use the id of a call twice, in one session or in two; what we make of the
 * session, the request and the call is used once.
 */
export function executionId(session: string, request: number, callId: string): string {
  return hash('sha256', JSON.stringify([session, request, callId]), 'hex').slice(0, 40);
}
