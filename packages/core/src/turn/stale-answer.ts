/** Whether an answer names a request other than the current one. */
export function isStaleAnswer(
  turn: { readonly request: number },
  event: { readonly request?: number },
): boolean {
  return event.request !== undefined && event.request !== turn.request;
}

export const staleAnswerReason = 'it answers a request that is no longer current';
