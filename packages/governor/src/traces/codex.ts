import {
  type Json,
  toOptionalBoolean,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
  getTypeName,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { groupRepliesByTurn, type TraceEntry, type TraceFormat } from './trace-format.ts';
import { isResponseItem, readResponseItem } from './openai-responses.ts';
import { parseTraceTime, parseTraceUsage, type TraceUsage } from './trace-fields.ts';
import { createUnknownEntry } from './unknown-records.ts';

/** Codex rollout files: lines with a type and a payload, or bare items in the first versions. */
export const codexFormat: TraceFormat = {
  name: 'codex',
  sign: 'lines of the types session_meta, response_item and event_msg with a payload (Codex)',
  matches(document) {
    const lines = toOptionalList(document) ?? [];
    return lines.some(isRolloutLine) || (isLegacyCodexHeader(lines[0]) && lines.some(isResponseItem));
  },
  parse(document, name) {
    const lines = toOptionalList(document) ?? [];
    const id = findFirstValue(lines, (line) => toOptionalId(getCodexSessionId(line)));
    const model = findFirstValue(lines, (line) => toOptionalString(getJsonPath(line, 'payload', 'model')));
    const facts = { id: id ?? name, source: 'codex', ...(model === undefined ? {} : { model }) };
    return buildRecordedRun(facts, groupRepliesByTurn(readCodexEntries(lines)));
  },
};

function isRolloutLine(line: Json): boolean {
  return (
    /^(?:session_meta|response_item|event_msg|turn_context)$/.test(getTypeName(line)) &&
    isJsonObject(getJsonPath(line, 'payload'))
  );
}

/** Whether this is the header line of a first-version file. */
function isLegacyCodexHeader(line: Json | undefined): boolean {
  return (
    getJsonPath(line, 'type') === undefined &&
    toOptionalId(getJsonPath(line, 'id')) !== undefined &&
    parseTraceTime(getJsonPath(line, 'timestamp')) !== undefined
  );
}

function getCodexSessionId(line: Json): Json | undefined {
  if (isLegacyCodexHeader(line)) return getJsonPath(line, 'id');
  if (getTypeName(line) !== 'session_meta') return undefined;
  return getJsonPath(line, 'payload', 'id') ?? getJsonPath(line, 'payload', 'meta', 'id');
}

/** Lines about the session itself. Lines without a type are states of the first versions. */
const ignoredLineTypes: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'compacted',
  'ghost_snapshot',
  'world_state',
]);

function isUnknownLine(line: Json): boolean {
  const type = getTypeName(line);
  return type !== '' && !ignoredLineTypes.has(type);
}

function* readCodexEntries(lines: readonly Json[]): Generator<TraceEntry> {
  let total: Json | undefined;
  for (const [index, line] of lines.entries()) {
    const location = `[${index}]`;
    const at = parseTraceTime(getJsonPath(line, 'timestamp'));
    if (!isJsonObject(line))
      yield { type: 'problem', location, problem: `expected an object, got ${describeJsonKind(line)}` };
    else if (getTypeName(line) === 'response_item') {
      yield* readResponseItem(getJsonPath(line, 'payload') ?? null, `${location}.payload`, at);
    } else if (getTypeName(line) === 'event_msg') {
      const payload = getJsonPath(line, 'payload');
      const usage = getTypeName(payload) === 'token_count' ? parseCodexUsage(payload, total) : undefined;
      if (usage !== undefined) yield { type: 'usage', usage };
      total = getJsonPath(payload, 'info', 'total_token_usage') ?? total;
      yield* readCodexEvent(payload);
    } else if (isResponseItem(line) || getTypeName(line) === 'message')
      yield* readResponseItem(line, location, at);
    else if (isUnknownLine(line)) yield createUnknownEntry(line, location);
  }
}

/**
 * Parses the usage since the last count. A count with the same total repeats the one before, for example with new rate
 * limits; without the usage of the last request it is the difference of the totals, which begin at zero again in some
 * resumed sessions.
 */
function parseCodexUsage(payload: Json | undefined, before: Json | undefined): TraceUsage | undefined {
  const total = parseTraceUsage(getJsonPath(payload, 'info', 'total_token_usage'));
  const known = parseTraceUsage(before);
  if (total !== undefined && total.input === known?.input && total.output === known?.output) return undefined;
  const last = parseTraceUsage(getJsonPath(payload, 'info', 'last_token_usage'));
  if (last !== undefined || total === undefined) return last;
  return {
    input: subtractCount(total.input, known?.input),
    output: subtractCount(total.output, known?.output),
    cached: subtractCount(total.cached, known?.cached),
  };
}

function subtractCount(count: number | undefined, before = 0): number | undefined {
  return count === undefined || count < before ? count : count - before;
}

/** Reads how calls ended; other events of the user interface repeat the items. */
function* readCodexEvent(payload: Json | undefined): Generator<TraceEntry> {
  const id = toOptionalId(getJsonPath(payload, 'call_id'));
  const failed = getCodexFailure(payload);
  const exitCode =
    getTypeName(payload) === 'exec_command_end'
      ? toOptionalNumber(getJsonPath(payload, 'exit_code'))
      : undefined;
  if (id !== undefined && (failed !== undefined || exitCode !== undefined))
    yield { type: 'failure', id, failed, exitCode };
}

function getCodexFailure(payload: Json | undefined): boolean | undefined {
  const type = getTypeName(payload);
  if (type === 'patch_apply_end') return negateOptional(toOptionalBoolean(getJsonPath(payload, 'success')));
  if (type !== 'mcp_tool_call_end') return undefined;
  return (
    getJsonPath(payload, 'result', 'Err') !== undefined ||
    getJsonPath(payload, 'result', 'Ok', 'isError') === true
  );
}

function negateOptional(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function findFirstValue<Found>(
  lines: readonly Json[],
  find: (line: Json) => Found | undefined,
): Found | undefined {
  for (const line of lines) {
    const found = find(line);
    if (found !== undefined) return found;
  }
  return undefined;
}
