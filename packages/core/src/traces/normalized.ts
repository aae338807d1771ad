import type { Json } from '../json.ts';
import { bounded } from './bounded.ts';
import { capped } from './build-run.ts';
import {
  booleanOf,
  countOf,
  get,
  idOf,
  isObject,
  kindOf,
  listOf,
  numberOf,
  stringOf,
} from '../json-fields.ts';
import type { RecordedRun, RecordedStep } from './recorded-run.ts';
import { runFacts } from './run-facts.ts';
import { jsonLength, tokensIn } from './tokens.ts';
import type { TraceFormat, TraceProblem } from './trace-format.ts';

/** Our own format: a run as we keep it, one object a line. */
export const normalized: TraceFormat = {
  name: 'normalized',
  sign: 'steps with the role assistant or user (the normalized format)',
  recognise(document) {
    const steps = listOf(get(document, 'steps'));
    if (steps === undefined) return false;
    return steps.some(isStep) || (steps.length === 0 && idOf(get(document, 'id')) !== undefined);
  },
  parse(document, name) {
    const problems: TraceProblem[] = [];
    const steps = (listOf(get(document, 'steps')) ?? []).flatMap((step, index) => {
      if (isStep(step)) return [readStep(step, index)];
      problems.push({ where: `steps[${index}]`, problem: notAStep(step) });
      return [];
    });
    return { runs: [{ ...factsOf(document, name), steps }], problems: capped(problems) };
  },
};

function isStep(step: Json): boolean {
  const role = get(step, 'role');
  return role === 'assistant' || role === 'user';
}

function notAStep(step: Json): string {
  if (!isObject(step)) return `expected a step, got ${kindOf(step)}`;
  return `expected the role assistant or user, got ${stringOf(get(step, 'role')) ?? kindOf(get(step, 'role'))}`;
}

function factsOf(document: Json, name: string): Omit<RecordedRun, 'steps'> {
  const facts = runFacts(document, name, 'normalized');
  const [source, exit] = [stringOf(get(document, 'source')), stringOf(get(document, 'exit'))];
  return {
    ...facts,
    ...(source === undefined ? {} : { source }),
    ...(get(document, 'model') === null ? { model: null } : {}),
    ...(get(document, 'success') === null ? { success: null } : {}),
    ...(exit === undefined ? {} : { exit }),
  };
}

/** Fields of another type than theirs are left out. */
function readStep(step: Json, index: number): RecordedStep {
  const role = get(step, 'role') === 'user' ? 'user' : 'assistant';
  const number = numberOf(get(step, 'i'));
  const read = {
    i: number !== undefined && Number.isInteger(number) ? number : index,
    role,
    text: stringOf(get(step, 'text')),
    textHash: stringOf(get(step, 'textHash')),
    tool: stringOf(get(step, 'tool')),
    args: bounded(get(step, 'args')),
    argsHash: stringOf(get(step, 'argsHash')),
    result: bounded(get(step, 'result')),
    resultHash: stringOf(get(step, 'resultHash')),
    error: booleanOf(get(step, 'error')),
    tokens: countOf(get(step, 'tokens')) ?? (role === 'user' ? undefined : lengthOf(step)),
    inputTokens: countOf(get(step, 'inputTokens')),
    at: numberOf(get(step, 'at')),
  };
  // Each value has been read as the type of its field, and those that are missing go.
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as RecordedStep;
}

function lengthOf(step: Json): number {
  return tokensIn((stringOf(get(step, 'text')) ?? '').length + jsonLength(get(step, 'args')));
}
