/** One way to go through the steps of `../durable/work.ts`, with nothing kept beyond the process. */
export type LoopContender = {
  readonly name: string;
  /** The version of what is measured; null for what is written here. */
  readonly version: string | null;
  /** Goes through the work with a model that answers at once; resolves to the final answer. */
  run(work: Work): Promise<string>;
};

export type Work = {
  readonly steps: number;
  /** To be called once in each step, by the tool. */
  readonly tick: () => void;
};
