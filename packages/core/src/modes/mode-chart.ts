/*
 * A mode is the kind of step the agent takes, and determines what it may do. A chart defines all modes and their
 * transitions: plain JSON, created by `defineChart`, which checks that all names exist and that every state has a
 * successor.
 */
export type ModeChart<Name extends string = string> = {
  readonly name: string;
  readonly initial: Name;
  readonly states: readonly ModeState<Name>[];
  readonly transitions: TransitionPolicy<Name>;
  /**
   * What happens on an invalid transition. The mode stays and the model gets the reason (`refuse`) or not (`ignore`),
   * or the mode is reset to the given one and the model gets the reason.
   */
  readonly onInvalid: 'refuse' | 'ignore' | { readonly resetTo: Name };
  /** The tools that signal completion, and the state they lead to; null if the model just stops. */
  readonly finish: { readonly tools: readonly string[]; readonly state: Name } | null;
  /** The paging mode and the mode after it; null if the chart does not cover memory. */
  readonly paging: { readonly state: Name; readonly next: Name } | null;
  /** Whether a reply with more than one call is rejected as a whole. */
  readonly oneAction: boolean;
  /** Maximum number of ticks; null for no limit. */
  readonly maxIterations: number | null;
  /** Prompt text for every mode. */
  readonly prompt: string;
};

export type ModeState<Name extends string = string> = {
  readonly name: Name;
  /** Other names the model may use. */
  readonly aliases: readonly string[];
  /** The allowed tools; `*` is any. */
  readonly tools: '*' | readonly string[];
  /** The modes that may follow, whatever the cause. */
  readonly next: readonly Name[];
  /** The mode after a reply without calls; null to stay. */
  readonly afterText: Name | null;
  /** The mode to enter when the work is stuck; null if there is none. */
  readonly stuckState: Name | null;
  /** Time limit; null for none. */
  readonly timeoutMs: number | null;
  /** Maximum number of ticks in this mode; null for no limit. */
  readonly stuckAfterSteps: number | null;
  /** Maximum number of consecutive failures; null for no limit. */
  readonly stuckAfterFailures: number | null;
  /** Whether the model may choose this mode, by name or by calling one of its tools. */
  readonly selectable: boolean;
  readonly terminal: boolean;
  /** Prompt text for this mode. */
  readonly prompt: string;
};

/** What decides the next mode. */
export type TransitionPolicy<Name extends string = string> =
  /** The tool decides: it leads to the mode that names it, otherwise to one that allows any tool. */
  | { readonly by: 'tool' }
  /**
   * The reply decides: by its `next_state`, or `otherwise` without one. A reply with an action leads to `afterAction`
   * when the action is done and to `afterFailure` if it fails; a reply that cannot be parsed also leads to
   * `afterFailure`.
   */
  | {
      readonly by: 'reply';
      readonly otherwise: Name;
      readonly afterAction: Name;
      readonly afterFailure: Name;
    };

/** Returns the state with that name, if the chart has it. */
export function getModeState<Name extends string>(
  { states }: ModeChart<Name>,
  name: string,
): ModeState<Name> | undefined {
  return states.find((state) => state.name === name);
}

/** Whether a state allows a tool. */
export function allowsTool({ tools }: ModeState, tool: string): boolean {
  return tools === '*' || tools.includes(tool);
}

/** Finds a state by name or alias, ignoring case and surrounding spaces, because models are careless with both. */
export function matchStateName(chart: ModeChart, name: string): ModeState | undefined {
  const wanted = name.trim().toLowerCase();
  return chart.states.find((state) =>
    [state.name, ...state.aliases].some((each) => each.toLowerCase() === wanted),
  );
}

/** Formats names for a sentence; long lists are truncated. */
export function formatNameList(names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const shown = names.slice(0, 20).join(', ');
  return names.length > 20 ? `${shown} and ${names.length - 20} more` : shown;
}

/** Returns the next states the model may choose. */
export function listSelectableNames(chart: ModeChart, { next }: ModeState): readonly string[] {
  return next.filter((name) => getModeState(chart, name)?.selectable);
}
