import { hash } from 'node:crypto';

/**
 * Names one run of one call. A provider may use the same call id twice, in one session or in two; what we make of session,
 * request and call is unique.
 */
export function executionId(session: string, request: number, callId: string): string {
  return hash('sha256', JSON.stringify([session, request, callId]), 'hex').slice(0, 40);
}
