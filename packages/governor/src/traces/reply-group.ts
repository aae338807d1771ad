import type { RecordedStepDraft } from './recorded-step-draft.ts';
import { estimateJsonLength, estimateTextTokens, type TraceUsage } from './trace-usage.ts';

/** One model reply: its steps, the length of its reasoning in characters, and its usage, if reported. */
export type ReplyGroup = {
  readonly drafts: RecordedStepDraft[];
  hidden: number;
  usage: TraceUsage | undefined;
};

/** A reply recorded in pieces may repeat its usage, each time more complete. */
export function mergeTraceUsage(known: TraceUsage | undefined, next: TraceUsage): TraceUsage {
  if (known === undefined) return next;
  return { output: maxOptional(known.output, next.output), input: maxOptional(known.input, next.input) };
}

/**
 * Assigns each reply's usage to its first step, so that the steps add up to it. Without reported usage, each step's
 * tokens are estimated from its text and arguments. A reply with only reasoning has no step, so the next reply bears
 * its usage.
 */
export function assignReplyTokens(groups: readonly ReplyGroup[]): void {
  let output = 0;
  let input: number | undefined;
  for (const { drafts, hidden, usage } of groups) {
    const isCounted = usage?.output !== undefined;
    output += usage?.output ?? estimateTextTokens(hidden);
    input = usage?.input === undefined ? input : (input ?? 0) + usage.input;
    const [first] = drafts;
    if (first === undefined) continue;
    for (const draft of drafts) draft.tokens = isCounted ? 0 : estimateDraftTokens(draft);
    first.tokens = (first.tokens ?? 0) + output;
    first.inputTokens = input;
    output = 0;
    input = undefined;
  }
}

function maxOptional(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function estimateDraftTokens({ text, args }: RecordedStepDraft): number {
  return estimateTextTokens((text?.length ?? 0) + estimateJsonLength(args));
}
