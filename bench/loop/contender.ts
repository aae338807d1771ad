/** One way to run the steps of `../durable/bench-session.ts` without persistence. */
export type LoopContender = {
  readonly name: string;
  /** Version of the measured library; null for code in this repository. */
  readonly version: string | null;
  /** Runs the session with a model that answers immediately; resolves to the final answer. */
  run(work: LoopWork): Promise<string>;
};

export type LoopWork = {
  readonly steps: number;
  /** The tool must call this once per step. */
  readonly tick: () => void;
};
