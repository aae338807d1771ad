import type { RequestedCall } from '../event.ts';
import type { Json } from '../json.ts';
import { withIds } from '../turn/calls.ts';
import { buildRun } from './build-run.ts';
import type { Entry, Part } from './entry.ts';
import { booleanOf, get, idOf, isObject, kindOf, listOf, numberOf, stringOf } from '../json-fields.ts';
import { usageOf } from './tokens.ts';
import type { TraceFormat } from './trace-format.ts';

/** Sessions of Pawl as `pawl export` writes them: one object with its events, or lines with an event each. */
export const pawlSession: TraceFormat = {
  name: 'pawl',
  sign: 'the format pawl-session with events (pawl export)',
  recognise(document) {
    // The first of several lines is no run of its own.
    const isWhole = listOf(document) !== undefined || listOf(get(document, 'events')) !== undefined;
    return isWhole && get(headOf(document), 'format') === 'pawl-session';
  },
  parse(document, name) {
    const head = headOf(document);
    const model = stringOf(get(head, 'about', 'model'));
    const facts = { id: idOf(get(head, 'id')) ?? name, source: 'pawl', ...(model && { model }) };
    return buildRun(facts, entries(document));
  },
};

function headOf(document: Json): Json | undefined {
  return listOf(document)?.[0] ?? document;
}

function* entries(document: Json): Generator<Entry> {
  const lines = listOf(document);
  const kept = lines ?? listOf(get(document, 'events')) ?? [];
  for (const [index, each] of kept.entries()) {
    const where = lines === undefined ? `events[${index}]` : `[${index}]`;
    const event = get(each, 'event');
    if (isObject(event)) yield* happening(event, where);
    // The first and the last line are about the session as a whole.
    else if (lines === undefined || !isObject(each))
      yield { type: 'problem', where, problem: `expected an event, got ${kindOf(each)}` };
  }
}

function* happening(event: Json, where: string): Generator<Entry> {
  const at = numberOf(get(event, 'at'));
  const text = stringOf(get(event, 'text')) ?? '';
  switch (get(event, 'type')) {
    case 'user-message':
    case 'steered':
      yield { type: 'user', text, at };
      return;
    case 'model-replied': {
      const said: readonly Part[] = text === '' ? [] : [{ type: 'text', text }];
      yield { type: 'reply', parts: [...said, ...callsIn(event)], at, usage: usageOf(get(event, 'usage')) };
      return;
    }
    case 'tool-finished': {
      const ok = booleanOf(get(event, 'outcome', 'ok'));
      const result =
        ok === true ? get(event, 'outcome', 'output') : get(event, 'outcome', 'error', 'message');
      const id = idIn(event, stringOf(get(event, 'callId')) ?? '');
      yield { type: 'result', id, result, error: ok === undefined ? undefined : !ok, where };
      return;
    }
    default:
  }
}

/** With the ids that the machine gave them. */
function callsIn(event: Json): readonly Part[] {
  const asked = (listOf(get(event, 'calls')) ?? []).map((call): RequestedCall => {
    const [id, tool] = [stringOf(get(call, 'id')), stringOf(get(call, 'tool')) ?? ''];
    return { ...(id !== undefined && { id }), tool, args: get(call, 'args') ?? null };
  });
  const named = withIds(asked, numberOf(get(event, 'request')) ?? 0);
  return named.map(({ id, tool, args }) => ({ type: 'call', id: idIn(event, id), tool, args }));
}

/** An id is unique within its reply only. */
function idIn(event: Json, id: string): string {
  return `${numberOf(get(event, 'request')) ?? 0} ${id}`;
}
