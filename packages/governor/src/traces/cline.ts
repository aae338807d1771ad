import {
  type Json,
  describeJsonKind,
  getJsonPath,
  getTypeName,
  isJsonObject,
  parseNestedJson,
  toOptionalBoolean,
  toOptionalCount,
  toOptionalId,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
} from '../json/json.ts';
import { readAnthropicParts } from './anthropic.ts';
import { buildRecordedRun } from './build-run.ts';
import { getResultContent, parseTraceTime, type TraceUsage } from './trace-fields.ts';
import type { TraceEntry, TraceFormat, TraceOutcome, TracePart, TraceReply } from './trace-format.ts';
import { createMessageProblem } from './unknown-records.ts';

/**
 * Sessions of Cline and of its forks: messages of the Anthropic API, in which older versions write the calls as XML and
 * the results as texts. A task may come with the messages of its user interface, which hold the usage.
 */
export const clineFormat: TraceFormat = {
  name: 'cline',
  sign: 'messages beside a session id, or with environment details and results of tools in their text (Cline)',
  matches(document) {
    const { messages } = getClineMessages(document);
    if (!messages.every(isClineMessage)) return false;
    const isSession = toOptionalId(getJsonPath(document, 'sessionId')) !== undefined;
    return messages.some((message) =>
      isSession
        ? toOptionalNumber(getJsonPath(message, 'ts')) !== undefined
        : getClineTexts(message).some((text) => taskText.test(text)),
    );
  },
  parse(document, name) {
    const { messages, location } = getClineMessages(document);
    const model = messages.map(getClineModel).find((found) => found !== undefined);
    const facts = {
      id: toOptionalId(getJsonPath(document, 'sessionId')) ?? name,
      source: 'cline',
      ...(model === undefined ? {} : { model }),
    };
    return buildRecordedRun(facts, readClineSession(document, messages, location));
  },
};

/** What only Cline writes into the messages of a user. */
const taskText = /^\s*(?:<environment_details>|\[[a-z]\w{2,60}(?: for '[^]{0,4000}')?\] Result:)/;

function getClineMessages(document: Json): { readonly messages: readonly Json[]; readonly location: string } {
  for (const location of ['api_conversation_history', 'messages']) {
    const messages = toOptionalList(getJsonPath(document, location));
    if (messages !== undefined) return { messages, location };
  }
  return { messages: toOptionalList(document) ?? [], location: '' };
}

/** Whether this is a message of the Anthropic API; what cannot be read is reported later. */
function isClineMessage(message: Json): boolean {
  const role = getJsonPath(message, 'role');
  return role === 'user' || role === 'assistant' || !isJsonObject(message);
}

/** Returns the texts in a message of the user. */
function getClineTexts(message: Json): readonly string[] {
  if (getJsonPath(message, 'role') !== 'user') return [];
  return getClineBlocks(message).flatMap((block) => toOptionalString(getJsonPath(block, 'text')) ?? []);
}

function getClineBlocks(message: Json): readonly Json[] {
  const content = getJsonPath(message, 'content');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return toOptionalList(content) ?? [];
}

function getClineModel(message: Json): string | undefined {
  const info = getJsonPath(message, 'modelInfo');
  return toOptionalString(getJsonPath(info, 'id')) ?? toOptionalString(getJsonPath(info, 'modelId'));
}

function* readClineSession(
  document: Json,
  messages: readonly Json[],
  location: string,
): Generator<TraceEntry> {
  const requests = listClineRequests(getJsonPath(document, 'ui_messages'));
  const replyCount = messages.filter((message) => getJsonPath(message, 'role') === 'assistant').length;
  const own = messages.some((message) => parseClineUsage(message) !== undefined);
  const isMatched = !own && requests.length === replyCount;
  let calls: readonly ClineCall[] = [];
  let reply = 0;
  for (const [index, message] of messages.entries()) {
    const at = `${location}[${index}]`;
    const role = getJsonPath(message, 'role');
    if (role === 'assistant') {
      const entry = readClineReply(message, messages[index + 1], index);
      calls = listClineCalls(entry.parts);
      yield { ...entry, usage: entry.usage ?? (isMatched ? requests[reply] : undefined) };
      reply += 1;
    } else if (role === 'user') yield* readClineUserMessage(message, at, calls);
    else yield createMessageProblem(message, at, describeClineProblem(message));
  }
  const total = own || isMatched ? undefined : sumClineUsage(requests);
  if (total !== undefined) yield { type: 'total', usage: total };
}

function describeClineProblem(message: Json): string {
  return isJsonObject(message)
    ? 'a message of an unknown role'
    : `expected a message, got ${describeJsonKind(message)}`;
}

type ClineCall = { readonly id: string; readonly tool: string };

function readClineReply(message: Json, next: Json | undefined, index: number): TraceReply {
  const parts = getClineBlocks(message).flatMap((block): readonly TracePart[] => {
    if (getTypeName(block) !== 'text') return readAnthropicParts([block]);
    return readClineText(toOptionalString(getJsonPath(block, 'text')) ?? '', index);
  });
  const hasCalled = parts.some(({ type }) => type === 'call');
  const objection =
    next === undefined ? undefined : getClineTexts(next).find((text) => text.startsWith('[ERROR]'));
  return {
    type: 'reply',
    parts,
    at: parseTraceTime(getJsonPath(message, 'ts')),
    usage: parseClineUsage(message),
    ...(hasCalled || objection === undefined ? {} : { outcome: { result: objection, error: true } }),
  };
}

function listClineCalls(parts: readonly TracePart[]): readonly ClineCall[] {
  return parts.flatMap((part) =>
    part.type === 'call' && part.id !== undefined ? [{ id: part.id, tool: part.tool }] : [],
  );
}

/** An element that stands for a call: the tool's name has an underscore, and each parameter is an element. */
const callElement = /<([a-z]+(?:_[a-z]+){1,6})>\s{0,20}(?=<(?:\/\1>|[a-z]))/g;

const thinkingElement = /<thinking>([^]*?)(?:<\/thinking>\s{0,10}|$)/g;

/** Reads the text of a reply, the calls in it, and the thoughts that some models write there. */
function readClineText(text: string, index: number): readonly TracePart[] {
  const parts: TracePart[] = [];
  const spoken = text.replaceAll(thinkingElement, (_element, thought: string) => {
    parts.push({ type: 'thought', text: thought });
    return '';
  });
  let from = 0;
  callElement.lastIndex = 0;
  for (let open = callElement.exec(spoken); open !== null; open = callElement.exec(spoken)) {
    const tool = open[1] ?? '';
    const close = spoken.indexOf(`</${tool}>`, open.index);
    // A call that was cut off never ran.
    if (close === -1) break;
    pushClineText(parts, spoken.slice(from, open.index));
    const inner = spoken.slice(open.index + tool.length + 2, close);
    parts.push({
      type: 'call',
      id: `text ${index}.${parts.length}`,
      tool,
      args: parseClineParameters(inner),
    });
    from = close + tool.length + 3;
    callElement.lastIndex = from;
  }
  pushClineText(parts, spoken.slice(from));
  return parts;
}

function pushClineText(parts: TracePart[], text: string): void {
  const trimmed = text.trim();
  if (trimmed !== '') parts.push({ type: 'text', text: trimmed });
}

/** No tool has more parameters; the limit keeps the time linear. */
const parametersMax = 40;

/** What is written into a file may contain the end of its own element. */
const fileParameters: ReadonlySet<string> = new Set(['content', 'diff']);

/** Reads the elements `<name>value</name>` of a call. */
function parseClineParameters(inner: string): Json {
  const parameters: Record<string, Json> = {};
  const opening = /<([a-z][a-z_]{0,60})>/g;
  for (let count = 0; count < parametersMax; count += 1) {
    const open = opening.exec(inner);
    if (open === null) break;
    const name = open[1] ?? '';
    const end = `</${name}>`;
    const close = fileParameters.has(name) ? inner.lastIndexOf(end) : inner.indexOf(end, opening.lastIndex);
    if (close < opening.lastIndex) continue;
    parameters[name] = inner.slice(opening.lastIndex, close).trim();
    opening.lastIndex = close + name.length + 3;
  }
  return parameters;
}

const environmentElement = /<environment_details>[^]*?(?:<\/environment_details>|$)/g;

const resultHeader = /^\s*\[([a-z]\w{2,60})(?: for '[^]{0,4000}?')?\] Result:[^\S\n]{0,10}\n?/;

/** Reads what a user said and the results of the calls in the reply before. */
function* readClineUserMessage(
  message: Json,
  location: string,
  calls: readonly ClineCall[],
): Generator<TraceEntry> {
  const blocks = getClineBlocks(message);
  for (const [index, block] of blocks.entries()) {
    if (getTypeName(block) !== 'tool_result') continue;
    const id = toOptionalId(getJsonPath(block, 'tool_use_id'));
    yield { type: 'result', id, ...readClineOutcome(block), location: `${location}.content[${index}]` };
  }
  const { results, said } = pairClineTexts(getClineTexts(message), calls);
  for (const { id, texts } of results) yield { type: 'result', id, ...readClineTexts(texts), location };
  const text = said.map(unwrapUserText).join('\n');
  if (text !== '') yield { type: 'user', text, at: parseTraceTime(getJsonPath(message, 'ts')) };
}

type ClineTexts = {
  readonly results: readonly { readonly id: string; readonly texts: readonly string[] }[];
  /** The texts that belong to no result. */
  readonly said: readonly string[];
};

/** A text with the header of a result begins one; the texts up to the next header belong to it. */
function pairClineTexts(texts: readonly string[], calls: readonly ClineCall[]): ClineTexts {
  const waiting = [...calls];
  const results: { id: string; texts: string[] }[] = [];
  const said: string[] = [];
  for (const text of texts.map((each) => each.replaceAll(environmentElement, '').trim())) {
    const header = resultHeader.exec(text);
    const call = header === null ? undefined : takeClineCall(waiting, header[1] ?? '');
    if (header !== null && call !== undefined)
      results.push({ id: call.id, texts: [text.slice(header[0].length)] });
    else if (text !== '' && !text.startsWith('[ERROR]')) (results.at(-1)?.texts ?? said).push(text);
  }
  return { results, said };
}

function unwrapUserText(text: string): string {
  return (
    /^<(task|user_input|user_message|feedback)(?: [^>]{0,80})?>([^]*)<\/\1>$/.exec(text)?.[2]?.trim() ?? text
  );
}

function takeClineCall(waiting: ClineCall[], tool: string): ClineCall | undefined {
  const index = waiting.findIndex((call) => call.tool === tool);
  return waiting.splice(Math.max(0, index), 1)[0];
}

/** What Cline says about a call that failed, or that the user refused. */
const clineFailure =
  /^(?:The tool execution failed with the following error:|The user denied this operation)/;

function readClineTexts(texts: readonly string[]): TraceOutcome {
  const result = texts.filter((text) => text !== '').join('\n');
  return { result, error: clineFailure.test(result) ? true : undefined };
}

/** The current version answers with one object for each command or file of a call. */
function readClineOutcome(block: Json): TraceOutcome {
  const content = parseNestedJson(getJsonPath(block, 'content'));
  const answers = toOptionalList(content) ?? [];
  const flags = answers.map((answer) => toOptionalBoolean(getJsonPath(answer, 'success')));
  if (answers.length > 0 && flags.every((flag) => flag !== undefined)) {
    const result = answers.map(getClineAnswerText).join('\n');
    return { result, error: flags.every((flag) => !flag) ? true : flags.every(Boolean) ? false : undefined };
  }
  const whole = getResultContent(getJsonPath(block, 'content'));
  const result = typeof whole === 'string' ? whole.replace(resultHeader, '') : whole;
  const isFailure = typeof result === 'string' && clineFailure.test(result);
  return {
    result,
    error: toOptionalBoolean(getJsonPath(block, 'is_error')) ?? (isFailure ? true : undefined),
  };
}

function getClineAnswerText(answer: Json): string {
  const result = toOptionalString(getJsonPath(answer, 'result')) ?? '';
  return result === '' ? (toOptionalString(getJsonPath(answer, 'error')) ?? '') : result;
}

/** Cached input is counted within the input in `metrics`, and apart from it in `tokens` and in the user interface. */
function parseClineUsage(message: Json): TraceUsage | undefined {
  const metrics = getJsonPath(message, 'metrics');
  const input = toOptionalCount(getJsonPath(metrics, 'inputTokens'));
  const output = toOptionalCount(getJsonPath(metrics, 'outputTokens'));
  const cached = toOptionalCount(getJsonPath(metrics, 'cacheReadTokens'));
  if (input !== undefined || output !== undefined) return toReportedUsage({ input, output, cached });
  const tokens = getJsonPath(metrics, 'tokens');
  return sumUsageFields(tokens, { input: ['prompt', 'cached'], output: ['completion'], cached: ['cached'] });
}

/** Lists the usage of the requests in the messages of the user interface. */
function listClineRequests(uiMessages: Json | undefined): readonly TraceUsage[] {
  return (toOptionalList(uiMessages) ?? []).flatMap((message) => {
    if (getJsonPath(message, 'say') !== 'api_req_started') return [];
    const request = parseNestedJson(getJsonPath(message, 'text'));
    const usage = sumUsageFields(request, {
      input: ['tokensIn', 'cacheWrites', 'cacheReads'],
      output: ['tokensOut'],
      cached: ['cacheReads'],
    });
    return usage === undefined ? [] : [usage];
  });
}

type UsageFields = {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly cached: readonly string[];
};

function sumUsageFields(holder: Json | undefined, fields: UsageFields): TraceUsage | undefined {
  const sum = (names: readonly string[]): number | undefined => {
    const counts = names.flatMap((name) => toOptionalCount(getJsonPath(holder, name)) ?? []);
    return counts.length === 0 ? undefined : counts.reduce((total, count) => total + count, 0);
  };
  return toReportedUsage({
    input: sum(fields.input),
    output: sum(fields.output),
    cached: sum(fields.cached),
  });
}

/** Counts that are missing or all zero were not reported. */
function toReportedUsage(usage: TraceUsage): TraceUsage | undefined {
  return (usage.input ?? 0) + (usage.output ?? 0) === 0 ? undefined : usage;
}

function sumClineUsage(requests: readonly TraceUsage[]): TraceUsage | undefined {
  if (requests.length === 0) return undefined;
  return {
    input: requests.reduce((sum, { input }) => sum + (input ?? 0), 0),
    output: requests.reduce((sum, { output }) => sum + (output ?? 0), 0),
    cached: requests.reduce((sum, { cached }) => sum + (cached ?? 0), 0),
  };
}
