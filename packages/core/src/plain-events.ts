import type { Event } from './event.ts';

/**
 * What an event says, apart from when: two runs that do the same differ in times, in the dice of their retries, and in the
 * ids that a provider gives to calls. A call is known by its number in the log instead.
 */
export function plainEvents(): (event: Event) => unknown {
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
    const { jitter: __, ...said } = { jitter: 0, ...rest };
    return 'callId' in event ? { ...said, callId: numbers.get(event.callId) ?? event.callId } : said;
  };
}
