/*
 * A mode says what kind of step the agent is taking, and so what it may do. A chart is all the modes there are and how
 * one leads to another: plain JSON, made by `defineChart` or `readChart`, which see to it that the names in it exist and
 * that there is always a way on.
 */
export type ModeChart<Name extends string = string> = {
  readonly name: string;
  readonly initial: Name;
  readonly states: readonly ModeState<Name>[];
  readonly hops: Hops<Name>;
  /**
   * What becomes of a move that the chart does not have. The mode stays as it is and the model is told why (`refuse`) or
   * is not (`ignore`), or the mode is the given one and the model is told.
   */
  readonly onInvalid: 'refuse' | 'ignore' | { readonly resetTo: Name };
  /** The tools by which the model says that it is done, and where they lead; null if it just stops. */
  readonly finish: { readonly tools: readonly string[]; readonly state: Name } | null;
  /** The mode in which room is made in memory, and the one after it; null if memory is no part of the chart. */
  readonly paging: { readonly state: Name; readonly next: Name } | null;
  /** Whether a reply with more than one call is turned down as a whole. */
  readonly oneAction: boolean;
  /** How many ticks there may be; null for as many as it takes. */
  readonly maxIterations: number | null;
  /** What the model is told whatever the mode. */
  readonly prompt: string;
};

export type ModeState<Name extends string = string> = {
  readonly name: Name;
  /** Other names that the model may call it by. */
  readonly aliases: readonly string[];
  /** The tools it allows; `*` is any. */
  readonly tools: '*' | readonly string[];
  /** The modes that may follow, whatever brings it about. */
  readonly next: readonly Name[];
  /** The one that follows a reply without calls; null to stay. */
  readonly afterWords: Name | null;
  /** Where it falls to when the work is stuck; null where there is no such mode. */
  readonly stuckState: Name | null;
  /** Null for as long as it takes. */
  readonly timeoutMs: number | null;
  /** How many ticks are too many; null for no limit. */
  readonly stuckAfterSteps: number | null;
  /** How many failures in a row are too many; null for no limit. */
  readonly stuckAfterFailures: number | null;
  /** Whether the model may choose it, by name or by picking one of its tools. */
  readonly selectable: boolean;
  readonly terminal: boolean;
  /** What the model is told in this mode. */
  readonly prompt: string;
};

/** What decides about the next mode. */
export type Hops<Name extends string = string> =
  /** The tool: it leads to the mode that names it, or else to one that allows any. */
  | { readonly by: 'tool' }
  /**
   * The reply: its `next_state`, or `otherwise` without one. A reply with an action leads to `afterAction` once that is
   * done, and to `afterFailure` if it cannot be; so does a reply that cannot be read.
   */
  | {
      readonly by: 'reply';
      readonly otherwise: Name;
      readonly afterAction: Name;
      readonly afterFailure: Name;
    };

/** The state of that name, if the chart has it. */
export function stateNamed<Name extends string>(
  { states }: ModeChart<Name>,
  name: string,
): ModeState<Name> | undefined {
  return states.find((state) => state.name === name);
}

/** Whether a state allows a tool. */
export function allows({ tools }: ModeState, tool: string): boolean {
  return tools === '*' || tools.includes(tool);
}
