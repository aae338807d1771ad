import { observe, type RecordedStep } from '@pawl/core';
import type { LearntRun } from './run-facts.ts';

/** What became of a step, in a word. */
export type Came = 'new' | 'known' | 'error' | 'said';

/** A step reduced to where it was taken, with what, and what became of it. */
export type Token = {
  readonly step: number;
  readonly mode: string | null;
  /** Null for words without a call. */
  readonly tool: string | null;
  readonly came: Came;
};

/** Names of tools come from outside, and are as long as somebody made them. */
const nameMax = 60;

/** The agent's own steps, in order. `known` is what a call had come to before in this run. */
export function tokensOf({ run, modes }: Pick<LearntRun, 'run' | 'modes'>): readonly Token[] {
  const seen = new Set<string>();
  return run.steps.flatMap((step): readonly Token[] => {
    if (step.role === 'user') return [];
    const mode = modes?.get(step.i)?.slice(0, nameMax) ?? null;
    const tool = step.tool?.slice(0, nameMax) ?? null;
    return [{ step: step.i, mode, tool, came: cameOf(step, seen) }];
  });
}

/** The token as one word, which is what patterns are made of. */
export function wordOf({ mode, tool, came }: Token): string {
  return `${mode === null ? '' : `${mode}/`}${tool === null ? came : `${tool} ${came}`}`;
}

function cameOf(
  { i, tool, args, argsHash, result, resultHash, error }: RecordedStep,
  seen: Set<string>,
): Came {
  if (tool === undefined) return 'said';
  const said = typeof result === 'string' ? result : JSON.stringify(result ?? '');
  const { call, outcome } = observe({
    seq: i,
    tool,
    args: args ?? null,
    argsHash,
    ok: error !== true,
    said,
    saidHash: said.length >= cutAt ? resultHash : undefined,
  });
  const name = `${call} ${outcome}`;
  const isKnown = seen.has(name);
  seen.add(name);
  if (error === true) return 'error';
  return isKnown ? 'known' : 'new';
}

/** Recorded texts of this length have been cut, so only their fingerprints can be compared. */
const cutAt = 2_000;
