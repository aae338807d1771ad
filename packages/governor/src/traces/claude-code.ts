import {
  type Json,
  getJsonPath,
  getTypeName,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { readAnthropicMessage } from './anthropic.ts';
import { buildRecordedRun } from './build-run.ts';
import { type TraceEntry, mergeTraces, type TraceFormat } from './trace-format.ts';
import { parseTraceTime } from './trace-fields.ts';
import { createUnknownEntry, hasKnownEntry } from './unknown-records.ts';

/**
 * Claude Code sessions: its JSONL files and its JSON stream output. A reply is written in pieces, each on its own line
 * with the same message id and the usage of the whole reply. Subagents may write into the same file; each is a run of
 * its own.
 */
export const claudeCodeFormat: TraceFormat = {
  name: 'claude-code',
  sign: 'lines of the types user and assistant that hold a message and a session id (Claude Code)',
  matches: (document) => (toOptionalList(document) ?? []).some(isClaudeMessageLine),
  parse(document, name) {
    const sessions = [...groupClaudeSessions(toOptionalList(document) ?? [], name).entries()].filter(
      ([, { entries }], _index, all) => all.length === 1 || hasKnownEntry(entries),
    );
    return mergeTraces(
      sessions.map(([id, { entries, model, exit }]) => {
        const facts = { ...(model === undefined ? {} : { model }), ...(exit === undefined ? {} : { exit }) };
        return buildRecordedRun({ id, source: 'claude-code', ...facts }, entries);
      }),
    );
  },
};

type ClaudeCodeSession = {
  readonly entries: TraceEntry[];
  model: string | undefined;
  exit: string | undefined;
};

function isClaudeMessageLine(line: Json): boolean {
  const type = getJsonPath(line, 'type');
  if ((type !== 'user' && type !== 'assistant') || !isJsonObject(getJsonPath(line, 'message'))) return false;
  return getClaudeSessionId(line) !== undefined || toOptionalId(getJsonPath(line, 'uuid')) !== undefined;
}

function groupClaudeSessions(lines: readonly Json[], name: string): ReadonlyMap<string, ClaudeCodeSession> {
  const sessions = new Map<string, ClaudeCodeSession>();
  const chains = new Map<string, string>();
  const seenUuids = new Set<string>();
  let current = name;
  for (const [index, line] of lines.entries()) {
    const uuid = toOptionalId(getJsonPath(line, 'uuid'));
    // A resumed session may start with a copy of earlier lines.
    if (uuid !== undefined && seenUuids.has(uuid)) continue;
    if (uuid !== undefined) seenUuids.add(uuid);
    current = getClaudeSessionId(line) ?? current;
    const id = getClaudeRunId(line, current, chains);
    const session = sessions.get(id) ?? { entries: [], model: undefined, exit: undefined };
    const entries = [...readClaudeLine(line, `[${index}]`)];
    session.entries.push(...entries);
    session.model ??= getClaudeModel(line);
    if (getJsonPath(line, 'type') === 'result') session.exit = toOptionalString(getJsonPath(line, 'subtype'));
    if (entries.length > 0) sessions.set(id, session);
  }
  return sessions;
}

function getClaudeSessionId(line: Json): string | undefined {
  return toOptionalId(getJsonPath(line, 'sessionId')) ?? toOptionalId(getJsonPath(line, 'session_id'));
}

/**
 * Returns the session id, extended for a subagent by the agent's id, the call it serves, or the id of its first line.
 */
function getClaudeRunId(line: Json, session: string, chains: Map<string, string>): string {
  const uuid = toOptionalId(getJsonPath(line, 'uuid')) ?? '';
  const parent = toOptionalId(getJsonPath(line, 'parentUuid'));
  const agent =
    toOptionalId(getJsonPath(line, 'agentId')) ?? toOptionalId(getJsonPath(line, 'parent_tool_use_id'));
  const isSide = getJsonPath(line, 'isSidechain') === true;
  if (!isSide && agent === undefined) return session;
  const chain = agent ?? chains.get(parent ?? '') ?? uuid;
  if (isSide) chains.set(uuid, chain);
  return `${session}/${chain}`;
}

/** Lines about the session itself, and those that the stream repeats. */
const ignoredLineTypes: ReadonlySet<string> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'attachment',
  'auth_status',
  'bridge_status',
  'content-replacement',
  'context-collapse-commit',
  'control_request',
  'control_response',
  'custom-title',
  'file-history-snapshot',
  'last-prompt',
  'marble-origami-commit',
  'marble-origami-snapshot',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'prompt_suggestion',
  'queue-operation',
  'rate_limit_event',
  'result',
  'saved_hook_context',
  'speculation-accept',
  'stream_event',
  'summary',
  'system',
  'tag',
  'task-summary',
  'tool_progress',
  'tool_use_summary',
  'worktree-state',
]);

function* readClaudeLine(line: Json, location: string): Generator<TraceEntry> {
  const type = getJsonPath(line, 'type');
  if (!isJsonObject(line))
    yield { type: 'problem', location, problem: `expected an object, got ${describeJsonKind(line)}` };
  if (type !== 'user' && type !== 'assistant') {
    if (isJsonObject(line) && !ignoredLineTypes.has(getTypeName(line)))
      yield createUnknownEntry(line, location);
    return;
  }
  // Hints of the program itself are not part of the conversation.
  if (getJsonPath(line, 'isMeta') === true) return;
  const message = getJsonPath(line, 'message');
  if (!isJsonObject(message)) {
    yield { type: 'problem', location, problem: `expected a message, got ${describeJsonKind(message)}` };
    return;
  }
  const key = type === 'assistant' ? toOptionalId(getJsonPath(message, 'id')) : undefined;
  yield* readAnthropicMessage(message, `${location}.message`, {
    at: parseTraceTime(getJsonPath(line, 'timestamp')),
    key,
  });
}

function getClaudeModel(line: Json): string | undefined {
  const model = toOptionalString(getJsonPath(line, 'message', 'model'));
  return model === '<synthetic>' ? undefined : model;
}
