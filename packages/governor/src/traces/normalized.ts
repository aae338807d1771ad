import {
  type Json,
  toOptionalBoolean,
  toOptionalCount,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
} from '../json/json.ts';
import {
  createRecordedStep,
  limitDepth,
  readRunFacts,
  estimateJsonLength,
  estimateTextTokens,
} from './trace-fields.ts';
import { capProblems, listMissingParts } from './build-run.ts';
import type { RecordedRun, RecordedStep, TraceFormat, TraceProblem } from './trace-format.ts';
import { containsCall } from './unknown-records.ts';

/** Pawl's own format: a recorded run, one object per line. */
export const normalizedFormat: TraceFormat = {
  name: 'normalized',
  sign: 'steps with the role assistant or user (the normalized format)',
  matches(document) {
    const steps = toOptionalList(getJsonPath(document, 'steps'));
    if (steps === undefined) return false;
    return (
      steps.some(isNormalizedStep) ||
      (steps.length === 0 && toOptionalId(getJsonPath(document, 'id')) !== undefined)
    );
  },
  parse(document, name) {
    const problems: TraceProblem[] = [];
    let hidesCall = false;
    const steps = (toOptionalList(getJsonPath(document, 'steps')) ?? []).flatMap((step, index) => {
      if (isNormalizedStep(step) && !hasLostTool(step)) return [readNormalizedStep(step, index)];
      problems.push({ location: `steps[${index}]`, problem: describeInvalidStep(step) });
      hidesCall ||= hasLostTool(step) || getJsonPath(step, 'tool') !== undefined || containsCall(step);
      return [];
    });
    const isPartial = hidesCall || problems.length > steps.length;
    const missing = listMissingParts(steps, 0);
    for (const problem of missing) problems.push({ location: 'steps', problem });
    const incomplete = isPartial ? 'steps could not be read' : missing[0];
    const facts = {
      ...readNormalizedFacts(document, name),
      ...(incomplete === undefined ? {} : { incomplete }),
    };
    return { runs: [{ ...facts, steps }], problems: capProblems(problems) };
  },
};

function isNormalizedStep(step: Json): boolean {
  const role = getJsonPath(step, 'role');
  return role === 'assistant' || role === 'user';
}

/** Whether a step is a call without the name of its tool. A reply without a call may have a result: an objection to it. */
function hasLostTool(step: Json): boolean {
  const hasArguments = getJsonPath(step, 'args') !== undefined;
  return hasArguments && toOptionalString(getJsonPath(step, 'tool')) === undefined;
}

function describeInvalidStep(step: Json): string {
  if (!isJsonObject(step)) return `expected a step, got ${describeJsonKind(step)}`;
  if (hasLostTool(step)) return 'a call without the name of a tool';
  return `expected the role assistant or user, got ${toOptionalString(getJsonPath(step, 'role')) ?? describeJsonKind(getJsonPath(step, 'role'))}`;
}

function readNormalizedFacts(document: Json, name: string): Omit<RecordedRun, 'steps'> {
  const facts = readRunFacts(document, name, 'normalized');
  const [source, exit] = [
    toOptionalString(getJsonPath(document, 'source')),
    toOptionalString(getJsonPath(document, 'exit')),
  ];
  return {
    ...facts,
    ...(source === undefined ? {} : { source }),
    ...(getJsonPath(document, 'model') === null ? { model: null } : {}),
    ...(getJsonPath(document, 'success') === null ? { success: null } : {}),
    ...(exit === undefined ? {} : { exit }),
  };
}

/** Omits fields of the wrong type. */
function readNormalizedStep(step: Json, index: number): RecordedStep {
  const role = getJsonPath(step, 'role') === 'user' ? 'user' : 'assistant';
  const number = toOptionalNumber(getJsonPath(step, 'i'));
  return createRecordedStep({
    i: number !== undefined && Number.isInteger(number) ? number : index,
    role,
    text: toOptionalString(getJsonPath(step, 'text')),
    textHash: toOptionalString(getJsonPath(step, 'textHash')),
    tool: toOptionalString(getJsonPath(step, 'tool')),
    args: limitDepth(getJsonPath(step, 'args')),
    argsHash: toOptionalString(getJsonPath(step, 'argsHash')),
    result: limitDepth(getJsonPath(step, 'result')),
    resultHash: toOptionalString(getJsonPath(step, 'resultHash')),
    error: toOptionalBoolean(getJsonPath(step, 'error')),
    exitCode: toOptionalNumber(getJsonPath(step, 'exitCode')),
    tokens:
      toOptionalCount(getJsonPath(step, 'tokens')) ??
      (role === 'user' ? undefined : estimateStepTokens(step)),
    inputTokens: toOptionalCount(getJsonPath(step, 'inputTokens')),
    cachedTokens: toOptionalCount(getJsonPath(step, 'cachedTokens')),
    at: toOptionalNumber(getJsonPath(step, 'at')),
  });
}

function estimateStepTokens(step: Json): number {
  return estimateTextTokens(
    (toOptionalString(getJsonPath(step, 'text')) ?? '').length +
      estimateJsonLength(getJsonPath(step, 'args')),
  );
}
