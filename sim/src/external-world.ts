/**
 * Ground truth about the external effects of tools, which the runtime cannot see. Every tool call carries a unique mark
 * in its arguments, so that each effect can be attributed to its call.
 */
export type ExternalEffects = {
  /** How often an execution of the call actually started. */
  starts: number;
  /** How often the call changed the external world. */
  changes: number;
  /** Id of the execution that ran the call. */
  execution: string | null;
};

export type ExternalWorld = {
  readonly effects: ReadonlyMap<string, ExternalEffects>;
  getEffects(mark: string): ExternalEffects;
  /** Files by session and path. */
  readonly files: Map<string, string>;
  /** Sent messages by idempotency key. */
  readonly sent: Map<string, string>;
};

export function createExternalWorld(): ExternalWorld {
  const effects = new Map<string, ExternalEffects>();
  return {
    effects,
    getEffects(mark) {
      let effect = effects.get(mark);
      if (effect === undefined) effects.set(mark, (effect = { starts: 0, changes: 0, execution: null }));
      return effect;
    },
    files: new Map(),
    sent: new Map(),
  };
}
