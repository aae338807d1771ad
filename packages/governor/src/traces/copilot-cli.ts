import {
  type Json,
  getJsonPath,
  getTypeName,
  isJsonObject,
  toOptionalCount,
  toOptionalId,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { readChatEntries } from './openai-chat.ts';
import { parseTraceTime, type TraceUsage } from './trace-fields.ts';
import { mergeTraces, type TraceEntry, type TraceFormat, type TracePart } from './trace-format.ts';
import { createUnknownEntry } from './unknown-records.ts';

/** Sessions of GitHub Copilot CLI: lines of events, or the one document of versions before the lines. */
export const copilotCliFormat: TraceFormat = {
  name: 'copilot-cli',
  sign: 'lines of the types session.start, user.message and assistant.message with data (GitHub Copilot CLI)',
  matches: (document) =>
    isHistoryDocument(document) || (toOptionalList(document) ?? []).some(isCopilotSessionLine),
  parse(document, name) {
    if (isHistoryDocument(document)) return parseHistoryDocument(document, name);
    const lines = toOptionalList(document) ?? [];
    const start = lines.find((line) => getTypeName(line) === 'session.start');
    const id = toOptionalId(getJsonPath(start, 'data', 'sessionId')) ?? name;
    const agents = [...groupCopilotAgents(lines).entries()];
    return mergeTraces(
      agents.map(([agent, events]) => {
        const model = findModel(events) ?? toOptionalString(getJsonPath(start, 'data', 'selectedModel'));
        const facts = { id: agent === '' ? id : `${id}/${agent}`, source: 'copilot-cli' };
        const entries = readCopilotEvents(events, agents.length === 1);
        return buildRecordedRun({ ...facts, ...(model === undefined ? {} : { model }) }, entries);
      }),
    );
  },
};

type CopilotEvent = { readonly line: Json; readonly location: string };

function isCopilotSessionLine(line: Json): boolean {
  return (
    /^(?:session\.start|user\.message|assistant\.message|tool\.execution_(?:start|complete))$/.test(
      getTypeName(line),
    ) && isJsonObject(getJsonPath(line, 'data'))
  );
}

function isHistoryDocument(document: Json): boolean {
  return (
    toOptionalId(getJsonPath(document, 'sessionId')) !== undefined &&
    toOptionalList(getJsonPath(document, 'chatMessages')) !== undefined
  );
}

function parseHistoryDocument(document: Json, name: string): ReturnType<TraceFormat['parse']> {
  const messages = toOptionalList(getJsonPath(document, 'chatMessages')) ?? [];
  const model = toOptionalString(getJsonPath(document, 'selectedModel'));
  const facts = {
    id: toOptionalId(getJsonPath(document, 'sessionId')) ?? name,
    source: 'copilot-cli',
    ...(model === undefined ? {} : { model }),
  };
  return buildRecordedRun(facts, readChatEntries(messages, 'chatMessages'));
}

/** Groups the events by the sub-agent that they belong to; those of the main agent and the session have none. */
function groupCopilotAgents(lines: readonly Json[]): ReadonlyMap<string, readonly CopilotEvent[]> {
  const agents = new Map<string, CopilotEvent[]>();
  for (const [index, line] of lines.entries()) {
    const isMessage = /^(?:assistant|tool)\./.test(getTypeName(line));
    const agent = isMessage
      ? (toOptionalId(getJsonPath(line, 'agentId')) ??
        toOptionalId(getJsonPath(line, 'data', 'parentToolCallId')) ??
        '')
      : '';
    const event = { line, location: `[${index}]` };
    const events = agents.get(agent);
    if (events === undefined) agents.set(agent, [event]);
    else events.push(event);
  }
  return agents;
}

function findModel(events: readonly CopilotEvent[]): string | undefined {
  for (const { line } of events) {
    const model = toOptionalString(getJsonPath(line, 'data', 'model'));
    if (model !== undefined && getTypeName(line) === 'assistant.message') return model;
  }
  return undefined;
}

/** Events of the user interface, and those that repeat what others say. */
const ignoredEvents =
  /^(?:session|hook|system|permission|model|subagent|skill|mcp|mcp_app|command|commands|elicitation|exit_plan_mode|external_tool|user_input|pending_messages|capabilities|sampling|agent|auto_mode_switch)\.|^assistant\.(?:fusion_\w+|idle|intent|message_(?:delta|start)|reasoning(?:_delta)?|server_tool_progress|streaming_delta|tool_call_delta|turn_(?:end|retry|start)|usage)$|^tool\.execution_(?:progress|partial_result)$|^(?:abort|prompt_cache_break)$/;

function* readCopilotEvents(events: readonly CopilotEvent[], isOnlyAgent: boolean): Generator<TraceEntry> {
  const hasUsage = events.some(({ line }) => getTypeName(line) === 'session.usage_record');
  const total = hasUsage || !isOnlyAgent ? undefined : findTotalUsage(events);
  if (total !== undefined) yield { type: 'total', usage: total };
  const context = { requested: new Set<string>(), isCounted: hasUsage || total !== undefined };
  for (const event of events) yield* readCopilotEvent(event, context);
}

function* readCopilotEvent(event: CopilotEvent, context: ReplyContext): Generator<TraceEntry> {
  const { line, location } = event;
  switch (getTypeName(line)) {
    case 'user.message':
      yield* readCopilotUserMessage(line);
      break;
    case 'assistant.message':
      yield readCopilotReply(line, context);
      yield* reportNamelessRequests(getJsonPath(line, 'data'), location);
      break;
    case 'session.usage_record':
      yield readUsageRecord(event);
      break;
    case 'tool.user_requested':
      context.requested.add(getUserCallKey(toOptionalId(getJsonPath(line, 'data', 'toolCallId'))));
      break;
    case 'tool.execution_start':
      yield* readUnrequestedCall(line, context.requested);
      break;
    case 'tool.execution_complete':
      yield* readCopilotResult(event, context.requested);
      break;
    default:
      if (!isJsonObject(line) || !ignoredEvents.test(getTypeName(line)))
        yield createUnknownEntry(line, location);
  }
}

/** The key of a call that the user made, not the agent. */
function getUserCallKey(id = ''): string {
  return `user ${id}`;
}

/** The usage of a request, whose reply has the same id. */
function readUsageRecord({ line, location }: CopilotEvent): TraceEntry {
  const usage = getJsonPath(line, 'data', 'usage');
  const key = toOptionalId(getJsonPath(usage, 'apiCallId')) ?? location;
  return { type: 'reply', parts: [], key, usage: parseCopilotUsage(usage) };
}

/** What the program writes in the name of the user is not a message. */
function* readCopilotUserMessage(line: Json): Generator<TraceEntry> {
  const data = getJsonPath(line, 'data');
  const isInjected =
    getJsonPath(data, 'isAutopilotContinuation') === true ||
    (toOptionalString(getJsonPath(data, 'source')) ?? '').startsWith('skill-');
  if (isInjected) return;
  const text = toOptionalString(getJsonPath(data, 'content')) ?? '';
  yield { type: 'user', text, at: parseTraceTime(getJsonPath(line, 'timestamp')) };
}

type ReplyContext = { readonly requested: Set<string>; readonly isCounted: boolean };

function readCopilotReply(line: Json, { requested, isCounted }: ReplyContext): TraceEntry {
  const data = getJsonPath(line, 'data');
  const thought = toOptionalString(getJsonPath(data, 'reasoningText')) ?? '';
  const text = toOptionalString(getJsonPath(data, 'content')) ?? '';
  const calls = (toOptionalList(getJsonPath(data, 'toolRequests')) ?? []).flatMap(parseToolRequest);
  for (const { id } of calls) if (id !== undefined) requested.add(id);
  const output = toOptionalCount(getJsonPath(data, 'outputTokens'));
  return {
    type: 'reply',
    parts: [
      ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      ...calls,
    ],
    // A reply that was split into several messages has one id.
    key: toOptionalId(getJsonPath(data, 'apiCallId')) ?? toOptionalId(getJsonPath(data, 'messageId')),
    at: parseTraceTime(getJsonPath(line, 'timestamp')),
    usage: isCounted || output === undefined ? undefined : { output, input: undefined },
  };
}

function parseToolRequest(request: Json): readonly Extract<TracePart, { type: 'call' }>[] {
  const tool = toOptionalString(getJsonPath(request, 'name'));
  if (tool === undefined) return [];
  const id = toOptionalId(getJsonPath(request, 'toolCallId'));
  return [{ type: 'call', id, tool, args: getJsonPath(request, 'arguments') }];
}

function* reportNamelessRequests(data: Json | undefined, location: string): Generator<TraceEntry> {
  for (const [index, request] of (toOptionalList(getJsonPath(data, 'toolRequests')) ?? []).entries()) {
    if (toOptionalString(getJsonPath(request, 'name')) !== undefined) continue;
    const problem = 'a call without the name of a tool';
    yield { type: 'problem', location: `${location}.data.toolRequests[${index}]`, problem };
  }
}

/** A call that no message requests, such as one of a version that records only its execution. */
function* readUnrequestedCall(line: Json, requested: Set<string>): Generator<TraceEntry> {
  const data = getJsonPath(line, 'data');
  const id = toOptionalId(getJsonPath(data, 'toolCallId'));
  const tool = toOptionalString(getJsonPath(data, 'toolName'));
  if (id === undefined || tool === undefined || requested.has(id) || requested.has(getUserCallKey(id)))
    return;
  requested.add(id);
  const at = parseTraceTime(getJsonPath(line, 'timestamp'));
  yield { type: 'reply', parts: [{ type: 'call', id, tool, args: getJsonPath(data, 'arguments') }], at };
}

/** The line that ends the output of a command. The number of the shell grows, so equal results would look different. */
const shellLine = /\n?<shellId: \d+ completed with exit code -?\d+>\s{0,8}$/;

function* readCopilotResult(
  { line, location }: CopilotEvent,
  requested: ReadonlySet<string>,
): Generator<TraceEntry> {
  const data = getJsonPath(line, 'data');
  const id = toOptionalId(getJsonPath(data, 'toolCallId'));
  if (getJsonPath(data, 'isUserRequested') === true || requested.has(getUserCallKey(id))) return;
  const hasFailed = getJsonPath(data, 'success') === false;
  const exitCode = toOptionalNumber(getJsonPath(data, 'shellExecution', 'exitCode'));
  const result =
    getJsonPath(data, 'result', 'content') ??
    getJsonPath(data, 'error', 'message') ??
    getJsonPath(data, 'result');
  yield {
    type: 'result',
    id,
    result: typeof result === 'string' ? result.replace(shellLine, '') : result,
    // A command that ends with an error is a success of its tool.
    error: hasFailed ? true : undefined,
    exitCode,
    location: `${location}.data`,
  };
}

/** Input includes what was read from a cache. */
function parseCopilotUsage(usage: Json | undefined): TraceUsage | undefined {
  const input = toOptionalCount(getJsonPath(usage, 'inputTokens'));
  const output = toOptionalCount(getJsonPath(usage, 'outputTokens'));
  if (input === undefined && output === undefined) return undefined;
  return { input, output, cached: toOptionalCount(getJsonPath(usage, 'cacheReadTokens')) };
}

/** Each end of a session repeats the usage since its beginning, by model. */
function findTotalUsage(events: readonly CopilotEvent[]): TraceUsage | undefined {
  const end = events.findLast(({ line }) => getTypeName(line) === 'session.shutdown');
  const metrics = getJsonPath(end?.line, 'data', 'modelMetrics');
  if (!isJsonObject(metrics)) return undefined;
  const usages = Object.values(metrics).map((each: Json) => parseCopilotUsage(getJsonPath(each, 'usage')));
  const sum = (pick: (usage: TraceUsage) => number | undefined): number =>
    usages.reduce((total, usage) => total + (usage === undefined ? 0 : (pick(usage) ?? 0)), 0);
  const output = sum((usage) => usage.output);
  const input = sum((usage) => usage.input);
  return output + input === 0 ? undefined : { output, input, cached: sum((usage) => usage.cached) };
}
