import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { codexOutcome } from './codex-output.ts';
import { inTurns, type Entry } from './entry.ts';
import {
  booleanOf,
  get,
  idOf,
  isObject,
  kindOf,
  listOf,
  numberOf,
  stringOf,
  typeOf,
} from '../json-fields.ts';
import { isResponseItem, itemEntries } from './openai-responses.ts';
import { timeOf } from './time.ts';
import { usageOf } from './tokens.ts';
import type { TraceFormat } from './trace-format.ts';

/** Rollout files of Codex: lines with a type and a payload; those of its first versions are bare items. */
export const codex: TraceFormat = {
  name: 'codex',
  sign: 'lines of the types session_meta, response_item and event_msg with a payload (Codex)',
  recognise(document) {
    const lines = listOf(document) ?? [];
    return lines.some(isRolloutLine) || (isFirstLine(lines[0]) && lines.some(isResponseItem));
  },
  parse(document, name) {
    const lines = listOf(document) ?? [];
    const id = first(lines, (line) => idOf(metaOf(line)));
    const model = first(lines, (line) => stringOf(get(line, 'payload', 'model')));
    const facts = { id: id ?? name, source: 'codex', ...(model === undefined ? {} : { model }) };
    return buildRun(facts, inTurns(entries(lines)));
  },
};

function isRolloutLine(line: Json): boolean {
  return (
    /^(?:session_meta|response_item|event_msg|turn_context)$/.test(typeOf(line)) &&
    isObject(get(line, 'payload'))
  );
}

/** How a file of the first versions begins. */
function isFirstLine(line: Json | undefined): boolean {
  return (
    get(line, 'type') === undefined &&
    idOf(get(line, 'id')) !== undefined &&
    timeOf(get(line, 'timestamp')) !== undefined
  );
}

function metaOf(line: Json): Json | undefined {
  if (isFirstLine(line)) return get(line, 'id');
  if (typeOf(line) !== 'session_meta') return undefined;
  return get(line, 'payload', 'id') ?? get(line, 'payload', 'meta', 'id');
}

function* entries(lines: readonly Json[]): Generator<Entry> {
  for (const [index, line] of lines.entries()) {
    const where = `[${index}]`;
    const at = timeOf(get(line, 'timestamp'));
    if (!isObject(line)) yield { type: 'problem', where, problem: `expected an object, got ${kindOf(line)}` };
    else if (typeOf(line) === 'response_item') {
      yield* items(get(line, 'payload') ?? null, `${where}.payload`, at);
    } else if (typeOf(line) === 'event_msg') yield* happening(get(line, 'payload'));
    else if (isResponseItem(line) || typeOf(line) === 'message') yield* items(line, where, at);
  }
}

function* items(item: Json, where: string, at: number | undefined): Generator<Entry> {
  for (const entry of itemEntries(item, where, at)) {
    yield entry.type === 'result' ? { ...entry, ...codexOutcome(entry.result, entry.error) } : entry;
  }
}

/** Of what the program tells its screen, only what the items do not say: the cost, and how calls ended. */
function* happening(payload: Json | undefined): Generator<Entry> {
  const usage = usageOf(get(payload, 'info', 'last_token_usage'));
  if (typeOf(payload) === 'token_count' && usage !== undefined) yield { type: 'usage', usage };
  const id = idOf(get(payload, 'call_id'));
  const failed = failedBy(payload);
  if (id !== undefined && failed !== undefined) yield { type: 'failure', id, failed };
}

function failedBy(payload: Json | undefined): boolean | undefined {
  const type = typeOf(payload);
  if (type === 'patch_apply_end') return negated(booleanOf(get(payload, 'success')));
  if (type === 'mcp_tool_call_end') {
    return get(payload, 'result', 'Err') !== undefined || get(payload, 'result', 'Ok', 'isError') === true;
  }
  const exitCode = type === 'exec_command_end' ? numberOf(get(payload, 'exit_code')) : undefined;
  // With the output left out of the event, nothing can be said of an exit code that may be an answer.
  return exitCode === undefined || exitCode === 1 ? undefined : exitCode !== 0;
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function first<Found>(lines: readonly Json[], find: (line: Json) => Found | undefined): Found | undefined {
  for (const line of lines) {
    const found = find(line);
    if (found !== undefined) return found;
  }
  return undefined;
}
