/** Maps call ids to ids that every provider accepts. */
export type WireIds = {
  /** Returns the id for a call; must be called once per call, in conversation order. */
  call(id: string): string;
  /** Returns the id of the latest call with this original id. */
  result(id: string): string;
};

/** The strictest length limit and character set of all providers. */
const wireIdPattern = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * Providers permanently reject a conversation with duplicate or malformed call ids. Both occur when a conversation
 * moves between providers, or when a provider numbers the calls of each reply from zero. Such an id is replaced with
 * one derived from its position, which is the same in every request.
 */
export function createWireIds(): WireIds {
  const used = new Set<string>();
  const latest = new Map<string, string>();
  let count = 0;
  return {
    call(id) {
      count += 1;
      let wire = id;
      for (let tries = 0; !wireIdPattern.test(wire) || used.has(wire); tries += 1) {
        wire = tries === 0 ? `call_${count}` : `call_${count}_${tries}`;
      }
      used.add(wire);
      latest.set(id, wire);
      return wire;
    },
    result: (id) => latest.get(id) ?? id,
  };
}
