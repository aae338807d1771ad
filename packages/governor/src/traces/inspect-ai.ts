import {
  type Json,
  describeJsonKind,
  getJsonPath,
  getTypeName,
  isJsonObject,
  toOptionalCount,
  toOptionalId,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { getContentText, getResultContent, parseTraceTime, type TraceUsage } from './trace-fields.ts';
import {
  type ParsedTrace,
  type TraceEntry,
  type TraceFormat,
  type TracePart,
  type TraceResult,
  mergeTraces,
} from './trace-format.ts';
import { createMessageProblem } from './unknown-records.ts';

/** Logs of Inspect evaluations as JSON, and single samples of them. Each sample is a run. */
export const inspectAiFormat: TraceFormat = {
  name: 'inspect-ai',
  sign: 'samples with messages beside an eval (Inspect)',
  matches: (document) =>
    (isJsonObject(getJsonPath(document, 'eval')) && getInspectSamples(document).some(isInspectSample)) ||
    isSingleSample(document),
  parse(document, name) {
    if (isSingleSample(document)) return parseInspectSample(document, name, '');
    const samples = getInspectSamples(document);
    const task = toOptionalString(getJsonPath(document, 'eval', 'task')) ?? name;
    const model = toOptionalString(getJsonPath(document, 'eval', 'model'));
    return mergeTraces(
      samples.map((sample, index) => parseInspectSample(sample, task, `samples[${index}].`, model)),
    );
  },
};

function getInspectSamples(document: Json): readonly Json[] {
  return toOptionalList(getJsonPath(document, 'samples')) ?? [];
}

function isInspectSample(sample: Json): boolean {
  return (
    toOptionalList(getJsonPath(sample, 'messages')) !== undefined &&
    toOptionalId(getJsonPath(sample, 'id')) !== undefined
  );
}

/** Whether this is a file of the samples in an `.eval` archive. */
function isSingleSample(document: Json): boolean {
  const hasMarks = ['epoch', 'target', 'input'].every((name) => getJsonPath(document, name) !== undefined);
  return hasMarks && isInspectSample(document);
}

function parseInspectSample(sample: Json, task: string, before: string, evalModel?: string): ParsedTrace {
  const ids = ['id', 'epoch'].flatMap((name) => toOptionalId(getJsonPath(sample, name)) ?? []);
  const model = evalModel ?? toOptionalString(getJsonPath(sample, 'output', 'model'));
  const success = readInspectSuccess(getJsonPath(sample, 'scores'));
  const exit =
    toOptionalString(getJsonPath(sample, 'limit', 'type')) ??
    (isJsonObject(getJsonPath(sample, 'error')) ? 'error' : undefined);
  const facts = {
    id: [task, ...ids].join('/'),
    source: 'inspect-ai',
    ...(model === undefined ? {} : { model }),
    ...(success === undefined ? {} : { success }),
    ...(exit === undefined ? {} : { exit }),
  };
  return buildRecordedRun(facts, readInspectSample(sample, before));
}

/** The first score decides: C and I stand for correct and incorrect. */
function readInspectSuccess(scores: Json | undefined): boolean | undefined {
  const [score] = isJsonObject(scores) ? Object.values(scores) : [];
  const value = getJsonPath(score, 'value');
  if (typeof value === 'boolean') return value;
  if (value === 'C' || value === 1) return true;
  return value === 'I' || value === 0 ? false : undefined;
}

function* readInspectSample(sample: Json, before: string): Generator<TraceEntry> {
  const requests = collectModelEvents(sample);
  for (const [index, message] of (toOptionalList(getJsonPath(sample, 'messages')) ?? []).entries())
    yield* readInspectMessage(message, `${before}messages[${index}]`, requests);
  const models = getJsonPath(sample, 'model_usage');
  const usages = (isJsonObject(models) ? Object.values(models) : []).flatMap(
    (each) => parseInspectUsage(each) ?? [],
  );
  // The replies have a usage of their own if the events are there; then the total is not used.
  if (usages.length > 0)
    yield {
      type: 'total',
      usage: { output: sumCounts(usages, 'output'), input: sumCounts(usages, 'input') },
    };
}

function sumCounts(usages: readonly TraceUsage[], name: keyof TraceUsage): number {
  return usages.reduce((sum, usage) => sum + (usage[name] ?? 0), 0);
}

type ModelEvent = { readonly usage: TraceUsage | undefined; readonly at: number | undefined };

/** The requests to the model, by the ids of the messages in which they resulted. */
function collectModelEvents(sample: Json): ReadonlyMap<string, ModelEvent> {
  const events =
    toOptionalList(getJsonPath(sample, 'events')) ??
    toOptionalList(getJsonPath(sample, 'transcript', 'events'));
  const found = new Map<string, ModelEvent>();
  for (const event of events ?? []) {
    if (getJsonPath(event, 'event') !== 'model') continue;
    const output = getJsonPath(event, 'output');
    const [choice] = toOptionalList(getJsonPath(output, 'choices')) ?? [];
    const id = toOptionalId(getJsonPath(choice, 'message', 'id'));
    const usage = parseInspectUsage(getJsonPath(output, 'usage'));
    if (id !== undefined) found.set(id, { usage, at: parseTraceTime(getJsonPath(event, 'timestamp')) });
  }
  return found;
}

/** Only the total contains cached input with every provider. */
function parseInspectUsage(usage: Json | undefined): TraceUsage | undefined {
  const [input, output, total] = ['input_tokens', 'output_tokens', 'total_tokens'].map((name) =>
    toOptionalCount(getJsonPath(usage, name)),
  );
  if ((input ?? 0) + (output ?? 0) === 0) return undefined;
  const all = total === undefined || output === undefined ? undefined : total - output;
  return { output, input: all === undefined || all < (input ?? 0) ? input : all };
}

function* readInspectMessage(
  message: Json,
  location: string,
  requests: ReadonlyMap<string, ModelEvent>,
): Generator<TraceEntry> {
  const role = getJsonPath(message, 'role');
  const content = getJsonPath(message, 'content');
  if (role === 'user') yield { type: 'user', text: getContentText(content) };
  else if (role === 'assistant') {
    const request = requests.get(toOptionalId(getJsonPath(message, 'id')) ?? '');
    yield { type: 'reply', parts: readInspectParts(message), at: request?.at, usage: request?.usage };
  } else if (role === 'tool') yield createInspectResult(message, location);
  else if (role !== 'system')
    yield createMessageProblem(
      message,
      location,
      isJsonObject(message)
        ? 'a message of an unknown role'
        : `expected a message, got ${describeJsonKind(message)}`,
    );
}

function createInspectResult(message: Json, location: string): TraceResult {
  const text = getResultContent(getJsonPath(message, 'content'));
  const failure = toOptionalString(getJsonPath(message, 'error', 'message'));
  return {
    type: 'result',
    id: toOptionalId(getJsonPath(message, 'tool_call_id')),
    tool: toOptionalString(getJsonPath(message, 'function')),
    result: text === '' || text === undefined ? (failure ?? '') : text,
    error: failure === undefined ? undefined : true,
    location,
  };
}

function readInspectParts(message: Json): readonly TracePart[] {
  const content = getJsonPath(message, 'content');
  const blocks = toOptionalList(content) ?? [];
  const thoughts = blocks.filter((block) => getTypeName(block) === 'reasoning');
  const text = getContentText(
    toOptionalList(content) === undefined ? content : blocks.filter((block) => !thoughts.includes(block)),
  );
  return [
    ...thoughts.map((block): TracePart => ({
      type: 'thought',
      text: toOptionalString(getJsonPath(block, 'reasoning')) ?? '',
    })),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...(toOptionalList(getJsonPath(message, 'tool_calls')) ?? []).map((call): TracePart => ({
      type: 'call',
      id: toOptionalId(getJsonPath(call, 'id')),
      tool: toOptionalString(getJsonPath(call, 'function')) ?? 'unknown',
      args: getJsonPath(call, 'arguments'),
    })),
  ];
}
