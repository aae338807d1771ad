/** A state chart as data: to draw, to export, and to hold the machine to. */
export type Chart = {
  readonly name: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
};

export type ChartState = {
  readonly name: string;
  readonly description: string;
  /** `waiting` until an event comes · `passing` straight on · `terminal` for good. */
  readonly kind: 'waiting' | 'passing' | 'terminal';
  /** In order: of the moves on one event, the first whose condition holds is taken. */
  readonly moves: readonly ChartMove[];
};

export type ChartMove = {
  /** The event that sets it off; null for a state that is only passed through. */
  readonly on: string | null;
  /** The condition under which it is taken; null when there is none. */
  readonly when: string | null;
  readonly to: string;
  /** Types of the actions that go with it. */
  readonly does: readonly string[];
};
