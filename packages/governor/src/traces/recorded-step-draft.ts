import type { Json } from '../json.ts';
import { limitDepth } from './limit-depth.ts';
import type { RecordedStep } from './recorded-run.ts';

/** A step under construction. */
export type RecordedStepDraft = {
  readonly role: RecordedStep['role'];
  readonly at: number | undefined;
  text: string | undefined;
  tool: string | undefined;
  args: Json | undefined;
  result: Json | undefined;
  error: boolean | undefined;
  tokens: number | undefined;
  inputTokens: number | undefined;
  /** Whether the call has its result. */
  answered: boolean;
};

export function createRecordedStepDraft(
  role: RecordedStep['role'],
  at: number | undefined,
): RecordedStepDraft {
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

export function toRecordedStep(draft: RecordedStepDraft, i: number): RecordedStep {
  const { role, text, tool, error, tokens, inputTokens, at } = draft;
  const [args, result] = [limitDepth(draft.args), limitDepth(draft.result)];
  const step = { i, role, text, tool, args, result, error, tokens, inputTokens, at };
  // The remaining entries are exactly the fields of a step.
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as RecordedStep;
}
