/** A state chart as data, for drawing, for export and for checking the machine in tests. */
export type Chart = {
  readonly name: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
};

export type ChartState = {
  readonly name: string;
  readonly description: string;
  /** `waiting`: until an event arrives · `passing`: transient · `terminal`: final. */
  readonly kind: 'waiting' | 'passing' | 'terminal';
  /** In order: among the moves on one event, the first whose condition holds applies. */
  readonly transitions: readonly ChartMove[];
};

export type ChartMove = {
  /** The event that triggers the move; null in a transient state. */
  readonly on: string | null;
  /** The condition of the move; null for none. */
  readonly guard: string | null;
  readonly to: string;
  /** Types of the actions the move returns. */
  readonly actions: readonly string[];
};
