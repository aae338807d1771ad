import { observeCall } from '@pawl/governor';
import type { RecordedStep } from '@pawl/governor/traces';
import type { TrainingRun } from './training-run.ts';

/** The outcome of a step, in a word. */
export type StepNovelty = 'new' | 'known' | 'error' | 'text';

/** A step reduced to its mode, its tool and its outcome. */
export type StepToken = {
  readonly step: number;
  readonly mode: string | null;
  /** Null for text without a call. */
  readonly tool: string | null;
  readonly novelty: StepNovelty;
};

/** Tool names are external and can be arbitrarily long. */
const maxTokenName = 60;

/** Tokenizes the agent's own steps, in order. `known` means the same call had the same result earlier in the run. */
export function tokenizeRun({ run, modes }: Pick<TrainingRun, 'run' | 'modes'>): readonly StepToken[] {
  const seen = new Set<string>();
  return run.steps.flatMap((step): readonly StepToken[] => {
    if (step.role === 'user') return [];
    const mode = modes?.get(step.i)?.slice(0, maxTokenName) ?? null;
    const tool = step.tool?.slice(0, maxTokenName) ?? null;
    return [{ step: step.i, mode, tool, novelty: classifyStep(step, seen) }];
  });
}

/** Formats a token as one word, the unit of patterns. */
export function formatStepToken({ mode, tool, novelty }: StepToken): string {
  return `${mode === null ? '' : `${mode}/`}${tool === null ? novelty : `${tool} ${novelty}`}`;
}

function classifyStep(
  { i, tool, args, argsHash, result, resultHash, error }: RecordedStep,
  seen: Set<string>,
): StepNovelty {
  if (tool === undefined) return 'text';
  const output = typeof result === 'string' ? result : JSON.stringify(result ?? '');
  const { call, outcome } = observeCall({
    seq: i,
    tool,
    args: args ?? null,
    argsHash,
    ok: error !== true,
    output,
    outputHash: output.length >= truncatedTextLength ? resultHash : undefined,
  });
  const name = `${call} ${outcome}`;
  const isKnown = seen.has(name);
  seen.add(name);
  if (error === true) return 'error';
  return isKnown ? 'known' : 'new';
}

/** Recorded texts of this length are truncated, so only their hashes can be compared. */
const truncatedTextLength = 2_000;
