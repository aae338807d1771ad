import type { Json } from '../json.ts';

/**
 * A run of any agent in the normalized form: one step per tool call with its result, or per message without a call. It
 * is untrusted data: nothing in it is executed.
 */
export type RecordedRun = {
  readonly id: string;
  /** The origin of the run: a benchmark, a product, a file. */
  readonly source?: string;
  readonly model?: string | null;
  /** Whether the task was solved, if known. */
  readonly success?: boolean | null;
  readonly task?: string;
  /** How the run ended, in the recorder's own terms. */
  readonly exit?: string;
  readonly steps: readonly RecordedStep[];
};

export type RecordedStep = {
  /** Number of the step in the run. */
  readonly i: number;
  readonly role: 'assistant' | 'user';
  readonly text?: string;
  /** Fingerprint of the whole text, if `text` was truncated. */
  readonly textHash?: string;
  readonly tool?: string;
  readonly args?: Json;
  /** Fingerprint of the whole arguments, if `args` was truncated. */
  readonly argsHash?: string;
  readonly result?: Json;
  /** Fingerprint of the whole result, if `result` was truncated. */
  readonly resultHash?: string;
  readonly error?: boolean;
  /** Output tokens of the step. */
  readonly tokens?: number;
  readonly inputTokens?: number;
  /** Time of the step, in milliseconds since 1970. */
  readonly at?: number;
};
