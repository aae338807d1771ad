/** The events that can change the mode. */
export type ModeEventPayload =
  /** The model has replied. */
  | {
      readonly type: 'reply-read';
      /** The tools it requests, in order. */
      readonly tools: readonly string[];
      /** The mode it requests by name, or null. */
      readonly nextState: string | null;
      /** Whether the reply also has text. */
      readonly text: boolean;
    }
  /** The model's reply could not be parsed. */
  | { readonly type: 'reply-failed'; readonly reason: string }
  /** The calls of a reply have ended; `ok` is false if one or more failed. An empty search result is a success. */
  | { readonly type: 'results-in'; readonly ok: boolean; readonly reason: string | null }
  | { readonly type: 'paging-needed' }
  | { readonly type: 'paging-done' }
  /** A new iteration of the loop starts. */
  | { readonly type: 'ticked' }
  /** The work was found to be stuck. */
  | { readonly type: 'stuck-found'; readonly cause: string }
  /** A caller other than the model requests the end of the work. */
  | { readonly type: 'finish-asked'; readonly cause: string }
  /** A caller other than the model requests another mode. */
  | { readonly type: 'move-asked'; readonly to: string; readonly cause: string };

/** A mode event with its time in milliseconds. */
export type ModeEvent = ModeEventPayload & { readonly at: number };

export type ModePayloadByType<Type extends ModeEventPayload['type']> = Extract<
  ModeEventPayload,
  { readonly type: Type }
>;
