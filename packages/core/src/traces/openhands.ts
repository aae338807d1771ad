import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import type { Entry } from './entry.ts';
import { get, idOf, isObject, kindOf, listOf, stringOf } from '../json-fields.ts';
import { isSdkEvent, sdkEntries } from './openhands-sdk.ts';
import { callIdsIn, isFirstEvent, firstEntries } from './openhands-v0.ts';
import { runFacts, successOf } from './run-facts.ts';
import type { TraceFormat } from './trace-format.ts';

/** Events of OpenHands: those of its first version, which are actions and observations, and those of its SDK. */
export const openhands: TraceFormat = {
  name: 'openhands',
  sign: 'events with an action and args, an observation and extras, or a kind like ActionEvent (OpenHands)',
  recognise: (document) =>
    eventsOf(document).events.some((event) => isFirstEvent(event) || isSdkEvent(event)),
  parse(document, name) {
    const { events, where } = eventsOf(document);
    const result = get(document, 'test_result', 'report') ?? get(document, 'test_result');
    const success = successOf(document) ?? successOf(result);
    const model =
      stringOf(get(document, 'metadata', 'llm_config', 'model')) ?? stringOf(get(document, 'model'));
    const facts = {
      ...runFacts(document, name, 'openhands'),
      id: idOf(get(document, 'instance_id')) ?? name,
      ...(success === undefined ? {} : { success }),
      ...(model === undefined ? {} : { model }),
    };
    return buildRun(facts, entries(events, where));
  },
};

function* entries(events: readonly Json[], where: string): Generator<Entry> {
  const calls = callIdsIn(events);
  for (const [index, event] of events.entries()) {
    const here = `${where}[${index}]`;
    if (!isObject(event))
      yield { type: 'problem', where: here, problem: `expected an event, got ${kindOf(event)}` };
    else if (typeof get(event, 'kind') === 'string') yield* sdkEntries(event, here);
    else yield* firstEntries(event, here, calls);
  }
}

/** The events, wherever they are. Old evaluations keep them as pairs of an action and its observation. */
function eventsOf(document: Json): { readonly events: readonly Json[]; readonly where: string } {
  const names = ['history', 'trajectory', 'events'];
  const where =
    listOf(document) === undefined ? names.find((name) => listOf(get(document, name)) !== undefined) : '';
  const found = listOf(where === undefined || where === '' ? document : get(document, where)) ?? [];
  return { events: found.flatMap((event) => listOf(event) ?? [event]), where: where ?? '' };
}
