import type { Event } from './event.ts';

/**
 * Reduces events to their content, so that equivalent runs compare equal: drops timestamps and retry jitter, and
 * replaces provider-assigned call ids with the call's number in the log.
 */
export function createEventNormalizer(): (event: Event) => unknown {
  const numbers = new Map<string, number>();
  let count = 0;
  return (event) => {
    const { at: _, ...rest } = event;
    if (event.type === 'model-replied') {
      const calls = event.calls.map(({ id, ...call }) => {
        count += 1;
        if (id !== undefined) numbers.set(id, count);
        return call;
      });
      return { ...rest, calls };
    }
    const { jitter: __, ...content } = { jitter: 0, ...rest };
    return 'callId' in event ? { ...content, callId: numbers.get(event.callId) ?? event.callId } : content;
  };
}
