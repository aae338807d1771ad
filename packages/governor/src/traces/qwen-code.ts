import {
  type Json,
  describeJsonKind,
  getJsonPath,
  isJsonObject,
  toOptionalId,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import {
  parseGeminiStatus,
  parseGeminiUsage,
  readGeminiContentParts,
  readGeminiUserContent,
} from './gemini-cli.ts';
import { parseTraceTime } from './trace-fields.ts';
import { type TraceEntry, type TraceFormat, mergeTraces } from './trace-format.ts';
import { createUnknownEntry, hasKnownEntry } from './unknown-records.ts';

/** Qwen Code sessions: lines like those of Claude Code, whose messages are contents of the Gemini API. */
export const qwenCodeFormat: TraceFormat = {
  name: 'qwen-code',
  sign: 'lines of the types user, assistant and tool_result that hold a message with parts (Qwen Code)',
  matches: (document) => (toOptionalList(document) ?? []).some(isQwenLine),
  parse(document, name) {
    const sessions = [...groupQwenSessions(toOptionalList(document) ?? [], name).entries()].filter(
      ([, { entries }], _index, all) => all.length === 1 || hasKnownEntry(entries),
    );
    return mergeTraces(
      sessions.map(([id, { entries, model }]) =>
        buildRecordedRun({ id, source: 'qwen-code', ...(model === undefined ? {} : { model }) }, entries),
      ),
    );
  },
};

const qwenMessageTypes: ReadonlySet<Json | undefined> = new Set(['user', 'assistant', 'tool_result']);

function isQwenLine(line: Json): boolean {
  return (
    qwenMessageTypes.has(getJsonPath(line, 'type')) &&
    toOptionalId(getJsonPath(line, 'uuid')) !== undefined &&
    toOptionalList(getJsonPath(line, 'message', 'parts')) !== undefined
  );
}

type QwenSession = { readonly entries: TraceEntry[]; model: string | undefined };

/** A subagent has a file of its own, or an agent id on its lines. */
function groupQwenSessions(lines: readonly Json[], name: string): ReadonlyMap<string, QwenSession> {
  const sessions = new Map<string, QwenSession>();
  const seenUuids = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const uuid = toOptionalId(getJsonPath(line, 'uuid'));
    // A resumed session may start with a copy of earlier lines.
    if (uuid !== undefined && seenUuids.has(uuid)) continue;
    if (uuid !== undefined) seenUuids.add(uuid);
    const entries = [...readQwenLine(line, `[${index}]`)];
    if (entries.length === 0) continue;
    const id = getQwenRunId(line, name);
    const session = sessions.get(id) ?? { entries: [], model: undefined };
    session.entries.push(...entries);
    session.model ??= toOptionalString(getJsonPath(line, 'model'));
    sessions.set(id, session);
  }
  return sessions;
}

function getQwenRunId(line: Json, name: string): string {
  const session = toOptionalId(getJsonPath(line, 'sessionId')) ?? name;
  const agent = toOptionalId(getJsonPath(line, 'agentId'));
  return agent === undefined ? session : `${session}/${agent}`;
}

/** Messages that the program inserted as the user. */
const insertedSubtypes: ReadonlySet<Json | undefined> = new Set(['notification', 'agent_bootstrap']);

function* readQwenLine(line: Json, location: string): Generator<TraceEntry> {
  if (!isJsonObject(line)) {
    yield { type: 'problem', location, problem: `expected an object, got ${describeJsonKind(line)}` };
    return;
  }
  const type = getJsonPath(line, 'type');
  if (!qwenMessageTypes.has(type)) {
    // System lines are snapshots and telemetry, which repeat the conversation.
    if (type !== 'system') yield createUnknownEntry(line, location);
    return;
  }
  if (insertedSubtypes.has(getJsonPath(line, 'subtype'))) return;
  const parts = getJsonPath(line, 'message', 'parts');
  const at = parseTraceTime(getJsonPath(line, 'timestamp'));
  if (toOptionalList(parts) === undefined)
    yield {
      type: 'problem',
      location,
      problem: `expected a message with parts, got ${describeJsonKind(parts)}`,
    };
  else if (type === 'assistant') {
    const usage = parseGeminiUsage(getJsonPath(line, 'usageMetadata'));
    yield { type: 'reply', parts: readGeminiContentParts(parts), at, usage };
  } else {
    const error = parseGeminiStatus(getJsonPath(line, 'toolCallResult', 'status'));
    yield* readGeminiUserContent(parts, `${location}.message`, at, { error });
  }
}
