import type { Json } from '../json.ts';
import { anthropicEntries } from './anthropic.ts';
import { buildRun } from './build-run.ts';
import type { Entry } from './entry.ts';
import { get, idOf, isObject, kindOf, listOf, stringOf } from '../json-fields.ts';
import { timeOf } from './time.ts';
import { merged, type TraceFormat } from './trace-format.ts';

/**
 * Sessions of Claude Code: its JSONL files, and what it prints as a stream of JSON. A reply is written in pieces, each on
 * its own line with the same message id and with the usage of the whole. Sub-agents may write into the same file; each
 * of them is a run of its own.
 */
export const claudeCode: TraceFormat = {
  name: 'claude-code',
  sign: 'lines of the types user and assistant that hold a message and a session id (Claude Code)',
  recognise: (document) => (listOf(document) ?? []).some(isMessageLine),
  parse(document, name) {
    const sessions = [...sessionsIn(listOf(document) ?? [], name).entries()];
    return merged(
      sessions.map(([id, { entries, model, exit }]) => {
        const facts = { ...(model === undefined ? {} : { model }), ...(exit === undefined ? {} : { exit }) };
        return buildRun({ id, source: 'claude-code', ...facts }, entries);
      }),
    );
  },
};

type SessionFound = { readonly entries: Entry[]; model: string | undefined; exit: string | undefined };

function isMessageLine(line: Json): boolean {
  const type = get(line, 'type');
  if ((type !== 'user' && type !== 'assistant') || !isObject(get(line, 'message'))) return false;
  return sessionOf(line) !== undefined || idOf(get(line, 'uuid')) !== undefined;
}

function sessionsIn(lines: readonly Json[], name: string): ReadonlyMap<string, SessionFound> {
  const sessions = new Map<string, SessionFound>();
  const chains = new Map<string, string>();
  const seen = new Set<string>();
  let current = name;
  for (const [index, line] of lines.entries()) {
    const uuid = idOf(get(line, 'uuid'));
    // A session that is taken up again may begin with a copy of what was there.
    if (uuid !== undefined && seen.has(uuid)) continue;
    if (uuid !== undefined) seen.add(uuid);
    current = sessionOf(line) ?? current;
    const id = runId(line, current, chains);
    const session = sessions.get(id) ?? { entries: [], model: undefined, exit: undefined };
    const entries = [...lineEntries(line, `[${index}]`)];
    session.entries.push(...entries);
    session.model ??= modelOf(line);
    if (get(line, 'type') === 'result') session.exit = stringOf(get(line, 'subtype'));
    if (entries.length > 0) sessions.set(id, session);
  }
  return sessions;
}

function sessionOf(line: Json): string | undefined {
  return idOf(get(line, 'sessionId')) ?? idOf(get(line, 'session_id'));
}

/** The session's id, and for what a sub-agent did also the sub-agent's: its name, the call it serves, or its first line. */
function runId(line: Json, session: string, chains: Map<string, string>): string {
  const uuid = idOf(get(line, 'uuid')) ?? '';
  const parent = idOf(get(line, 'parentUuid'));
  const agent = idOf(get(line, 'agentId')) ?? idOf(get(line, 'parent_tool_use_id'));
  const isSide = get(line, 'isSidechain') === true;
  if (!isSide && agent === undefined) return session;
  const chain = agent ?? chains.get(parent ?? '') ?? uuid;
  if (isSide) chains.set(uuid, chain);
  return `${session}/${chain}`;
}

function* lineEntries(line: Json, where: string): Generator<Entry> {
  const type = get(line, 'type');
  if (!isObject(line)) yield { type: 'problem', where, problem: `expected an object, got ${kindOf(line)}` };
  // Summaries, snapshots and hints of the program itself are not part of the conversation.
  if ((type !== 'user' && type !== 'assistant') || get(line, 'isMeta') === true) return;
  const message = get(line, 'message');
  if (!isObject(message)) {
    yield { type: 'problem', where, problem: `expected a message, got ${kindOf(message)}` };
    return;
  }
  const key = type === 'assistant' ? idOf(get(message, 'id')) : undefined;
  yield* anthropicEntries(message, `${where}.message`, { at: timeOf(get(line, 'timestamp')), key });
}

function modelOf(line: Json): string | undefined {
  const model = stringOf(get(line, 'message', 'model'));
  return model === '<synthetic>' ? undefined : model;
}
