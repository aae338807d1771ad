/**
 * The world that tools act on and the runtime cannot see: what really happened. Every call of the model carries a mark of
 * its own in its arguments, so that whatever happens can be told to belong to it.
 */
export type Deed = {
  /** How often a run of the call got as far as doing something. */
  starts: number;
  /** How often it changed the world. */
  effects: number;
  /** The execution it was run under. */
  execution: string | null;
};

export type Outside = {
  readonly deeds: ReadonlyMap<string, Deed>;
  deed(mark: string): Deed;
  /** Files, by session and path. */
  readonly files: Map<string, string>;
  /** What was sent, by the key it was sent under. */
  readonly sent: Map<string, string>;
};

export function createOutside(): Outside {
  const deeds = new Map<string, Deed>();
  return {
    deeds,
    deed(mark) {
      let deed = deeds.get(mark);
      if (deed === undefined) deeds.set(mark, (deed = { starts: 0, effects: 0, execution: null }));
      return deed;
    },
    files: new Map(),
    sent: new Map(),
  };
}
