import type { Json } from '../json.ts';

/**
 * A run of any agent, in the one form everything here understands: one step per tool call with its result, or per
 * message without one. It is data from outside: nothing in it is ever executed or trusted.
 */
export type RecordedRun = {
  readonly id: string;
  /** Where it comes from: a benchmark, a product, a file. */
  readonly source?: string;
  readonly model?: string | null;
  /** Whether the task was solved, when that is known. */
  readonly success?: boolean | null;
  readonly task?: string;
  /** How it ended, in the words of whatever recorded it. */
  readonly exit?: string;
  readonly steps: readonly RecordedStep[];
};

export type RecordedStep = {
  /** Its number in the run. */
  readonly i: number;
  readonly role: 'assistant' | 'user';
  readonly text?: string;
  /** Of the whole text, when `text` had to be cut. */
  readonly textHash?: string;
  readonly tool?: string;
  readonly args?: Json;
  /** Of the whole arguments, when `args` had to be cut. */
  readonly argsHash?: string;
  readonly result?: Json;
  /** Of the whole result, when `result` had to be cut. */
  readonly resultHash?: string;
  readonly error?: boolean;
  /** What the step cost, in tokens of the assistant's output. */
  readonly tokens?: number;
  readonly inputTokens?: number;
  /** When it happened, in milliseconds since 1970. */
  readonly at?: number;
};
