/** The facts that can change the mode, whatever a chart makes of them. */
export type ModeFact =
  /** The model has replied. */
  | {
      readonly type: 'reply-read';
      /** The tools it wants to call, in order. */
      readonly tools: readonly string[];
      /** The mode it asks for by name, or null. */
      readonly nextState: string | null;
      /** Whether it says anything besides. */
      readonly words: boolean;
    }
  /** The model has replied, and nobody can make sense of it. */
  | { readonly type: 'reply-failed'; readonly reason: string }
  /** The calls of a reply have ended: well, or one or more could not be carried out. Nothing found is well enough. */
  | { readonly type: 'results-in'; readonly ok: boolean; readonly reason: string | null }
  | { readonly type: 'paging-needed' }
  | { readonly type: 'paging-done' }
  /** One more round of the loop begins. */
  | { readonly type: 'ticked' }
  /** Somebody found that the work is stuck. */
  | { readonly type: 'stuck-found'; readonly cause: string }
  /** Somebody, not the model, wants the work to end. */
  | { readonly type: 'finish-asked'; readonly cause: string }
  /** Somebody, not the model, wants another mode. */
  | { readonly type: 'move-asked'; readonly to: string; readonly cause: string };

/** A fact and when it came about, in milliseconds. */
export type Happening = ModeFact & { readonly at: number };

export type FactOf<Type extends ModeFact['type']> = Extract<ModeFact, { readonly type: Type }>;
