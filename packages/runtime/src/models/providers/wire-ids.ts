/** Gives calls the ids they go to a provider under. */
export type WireIds = {
  /** The id of the next call; to be asked once for each call, in the order of the conversation. */
  call(id: string): string;
  /** The id of the latest call that had this one. */
  result(id: string): string;
};

/** The shortest of the limits there are, and the letters all take. */
const fitting = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * Providers refuse a conversation for ever in which two calls have one id, or one in a form they do not know; but a
 * conversation may go from one provider to another, and some number the calls of each reply from zero. An id that cannot
 * go as it is goes under one made from its place, the same in every request.
 */
export function createWireIds(): WireIds {
  const used = new Set<string>();
  const latest = new Map<string, string>();
  let count = 0;
  return {
    call(id) {
      count += 1;
      let wire = id;
      for (let tries = 0; !fitting.test(wire) || used.has(wire); tries += 1) {
        wire = tries === 0 ? `call_${count}` : `call_${count}_${tries}`;
      }
      used.add(wire);
      latest.set(id, wire);
      return wire;
    },
    result: (id) => latest.get(id) ?? id,
  };
}
