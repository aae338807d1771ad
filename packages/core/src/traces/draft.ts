import type { Json } from '../json.ts';
import { bounded } from './bounded.ts';
import type { RecordedStep } from './recorded-run.ts';

/** A step while it is being put together. */
export type Draft = {
  readonly role: RecordedStep['role'];
  readonly at: number | undefined;
  text: string | undefined;
  tool: string | undefined;
  args: Json | undefined;
  result: Json | undefined;
  error: boolean | undefined;
  tokens: number | undefined;
  inputTokens: number | undefined;
  /** A call has its result. */
  answered: boolean;
};

export function newDraft(role: RecordedStep['role'], at: number | undefined): Draft {
  return {
    role,
    at,
    text: undefined,
    tool: undefined,
    args: undefined,
    result: undefined,
    error: undefined,
    tokens: undefined,
    inputTokens: undefined,
    answered: false,
  };
}

export function stepOf(draft: Draft, i: number): RecordedStep {
  const { role, text, tool, error, tokens, inputTokens, at } = draft;
  const [args, result] = [bounded(draft.args), bounded(draft.result)];
  const step = { i, role, text, tool, args, result, error, tokens, inputTokens, at };
  // Each key is a string, and what is left has a value: the very fields of a step.
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as RecordedStep;
}
