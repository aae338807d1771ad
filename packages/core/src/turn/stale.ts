/** Whether an answer names another request than the one at hand. */
export function isStale(turn: { readonly request: number }, event: { readonly request?: number }): boolean {
  return event.request !== undefined && event.request !== turn.request;
}

export const stale = 'it answers a request that is no longer under way';
