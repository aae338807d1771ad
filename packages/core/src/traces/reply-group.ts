import type { Draft } from './draft.ts';
import { jsonLength, tokensIn, type Usage } from './tokens.ts';

/** One reply of the model: its steps, the characters of its thoughts, and what it cost if somebody counted. */
export type ReplyGroup = { readonly drafts: Draft[]; hidden: number; usage: Usage | undefined };

/** A reply that is written down piece by piece may repeat its usage, each time more complete. */
export function larger(known: Usage | undefined, next: Usage): Usage {
  if (known === undefined) return next;
  return { output: most(known.output, next.output), input: most(known.input, next.input) };
}

/**
 * Each reply's cost is put down to its first step, so that the steps add up to it. Where nobody counted, each step costs
 * what its own text and arguments are long. A reply of thoughts alone has no step: the next one bears its cost.
 */
export function countTokens(groups: readonly ReplyGroup[]): void {
  let output = 0;
  let input: number | undefined;
  for (const { drafts, hidden, usage } of groups) {
    const isCounted = usage?.output !== undefined;
    output += usage?.output ?? tokensIn(hidden);
    input = usage?.input === undefined ? input : (input ?? 0) + usage.input;
    const [first] = drafts;
    if (first === undefined) continue;
    for (const draft of drafts) draft.tokens = isCounted ? 0 : tokensOf(draft);
    first.tokens = (first.tokens ?? 0) + output;
    first.inputTokens = input;
    output = 0;
    input = undefined;
  }
}

function most(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function tokensOf({ text, args }: Draft): number {
  return tokensIn((text?.length ?? 0) + jsonLength(args));
}
