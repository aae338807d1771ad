import {
  type Json,
  toOptionalBoolean,
  getJsonPath,
  getTypeName,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
} from '../json/json.ts';
import { assignCallIds } from '../observations/call-ids.ts';
import { buildRecordedRun } from './build-run.ts';
import type { TraceEntry, TracePart, TraceFormat } from './trace-format.ts';
import { parseTraceUsage } from './trace-fields.ts';
import { createUnknownEntry } from './unknown-records.ts';

/** Pawl sessions as written by `pawl export`: one object with its events, or one event per line. */
export const pawlSessionFormat: TraceFormat = {
  name: 'pawl',
  sign: 'the format pawl-session with events (pawl export)',
  matches(document) {
    // The header line alone is not a run.
    const isWhole =
      toOptionalList(document) !== undefined || toOptionalList(getJsonPath(document, 'events')) !== undefined;
    return isWhole && getJsonPath(getSessionHeader(document), 'format') === 'pawl-session';
  },
  parse(document, name) {
    const head = getSessionHeader(document);
    const model = toOptionalString(getJsonPath(head, 'about', 'model'));
    const facts = {
      id: toOptionalId(getJsonPath(head, 'id')) ?? name,
      source: 'pawl',
      ...(model && { model }),
    };
    return buildRecordedRun(facts, readPawlEntries(document));
  },
};

function getSessionHeader(document: Json): Json | undefined {
  return toOptionalList(document)?.[0] ?? document;
}

function* readPawlEntries(document: Json): Generator<TraceEntry> {
  const lines = toOptionalList(document);
  const kept = lines ?? toOptionalList(getJsonPath(document, 'events')) ?? [];
  for (const [index, each] of kept.entries()) {
    const location = lines === undefined ? `events[${index}]` : `[${index}]`;
    const event = getJsonPath(each, 'event');
    if (isJsonObject(event)) yield* readPawlEvent(event, location);
    // The first and the last line describe the session as a whole.
    else if (lines === undefined || !isJsonObject(each))
      yield { type: 'problem', location, problem: `expected an event, got ${describeJsonKind(each)}` };
  }
}

function* readPawlEvent(event: Json, location: string): Generator<TraceEntry> {
  const at = toOptionalNumber(getJsonPath(event, 'at'));
  const text = toOptionalString(getJsonPath(event, 'text')) ?? '';
  const type = getTypeName(event);
  switch (type) {
    case 'user-message':
    case 'steered':
      yield { type: 'user', text, at };
      return;
    case 'model-replied': {
      const textParts: readonly TracePart[] = text === '' ? [] : [{ type: 'text', text }];
      yield {
        type: 'reply',
        parts: [...textParts, ...readPawlCalls(event)],
        at,
        usage: parseTraceUsage(getJsonPath(event, 'usage')),
      };
      return;
    }
    case 'tool-finished': {
      const ok = toOptionalBoolean(getJsonPath(event, 'outcome', 'ok'));
      const result =
        ok === true
          ? getJsonPath(event, 'outcome', 'output')
          : getJsonPath(event, 'outcome', 'error', 'message');
      const id = createPawlCallId(event, toOptionalString(getJsonPath(event, 'callId')) ?? '');
      yield { type: 'result', id, result, error: ok === undefined ? undefined : !ok, location };
      return;
    }
    default:
      if (unknownCallEvent.test(type)) yield createUnknownEntry(event, location, type);
  }
}

/** An event of a newer version that may be about a call. The other events do not matter here. */
const unknownCallEvent = /^(?!tool-(?:started|progress|finished)|call-).*(?:tool|call)/;

/** Reads the calls with the ids that the machine assigned. */
function readPawlCalls(event: Json): readonly TracePart[] {
  const requestedCalls = (toOptionalList(getJsonPath(event, 'calls')) ?? []).map((call) => {
    const [id, tool] = [
      toOptionalString(getJsonPath(call, 'id')),
      toOptionalString(getJsonPath(call, 'tool')) ?? '',
    ];
    return { ...(id !== undefined && { id }), tool, args: getJsonPath(call, 'args') ?? null };
  });
  const callsWithIds = assignCallIds(requestedCalls, toOptionalNumber(getJsonPath(event, 'request')) ?? 0);
  return callsWithIds.map(({ id, tool, args }) => ({
    type: 'call',
    id: createPawlCallId(event, id),
    tool,
    args,
  }));
}

/** An id is unique only within its reply. */
function createPawlCallId(event: Json, id: string): string {
  return `${toOptionalNumber(getJsonPath(event, 'request')) ?? 0} ${id}`;
}
