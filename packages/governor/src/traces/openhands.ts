import type { Json } from '../json.ts';
import { buildRecordedRun } from './build-run.ts';
import type { TraceEntry } from './trace-entry.ts';
import {
  getJsonPath,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalString,
} from '../json-fields.ts';
import { isOpenhandsSdkEvent, readOpenhandsSdkEvent } from './openhands-sdk.ts';
import { collectV0CallIds, isOpenhandsV0Event, readOpenhandsV0Event } from './openhands-v0.ts';
import { readRunFacts, readRunSuccess } from './run-facts.ts';
import type { TraceFormat } from './trace-format.ts';

/** OpenHands events: actions and observations of its first version, and the events of its SDK. */
export const openhandsFormat: TraceFormat = {
  name: 'openhands',
  sign: 'events with an action and args, an observation and extras, or a kind like ActionEvent (OpenHands)',
  matches: (document) =>
    getOpenhandsEvents(document).events.some(
      (event) => isOpenhandsV0Event(event) || isOpenhandsSdkEvent(event),
    ),
  parse(document, name) {
    const { events, where } = getOpenhandsEvents(document);
    const result = getJsonPath(document, 'test_result', 'report') ?? getJsonPath(document, 'test_result');
    const success = readRunSuccess(document) ?? readRunSuccess(result);
    const model =
      toOptionalString(getJsonPath(document, 'metadata', 'llm_config', 'model')) ??
      toOptionalString(getJsonPath(document, 'model'));
    const facts = {
      ...readRunFacts(document, name, 'openhands'),
      id: toOptionalId(getJsonPath(document, 'instance_id')) ?? name,
      ...(success === undefined ? {} : { success }),
      ...(model === undefined ? {} : { model }),
    };
    return buildRecordedRun(facts, readOpenhandsEntries(events, where));
  },
};

function* readOpenhandsEntries(events: readonly Json[], where: string): Generator<TraceEntry> {
  const calls = collectV0CallIds(events);
  for (const [index, event] of events.entries()) {
    const here = `${where}[${index}]`;
    if (!isJsonObject(event))
      yield { type: 'problem', location: here, problem: `expected an event, got ${describeJsonKind(event)}` };
    else if (typeof getJsonPath(event, 'kind') === 'string') yield* readOpenhandsSdkEvent(event, here);
    else yield* readOpenhandsV0Event(event, here, calls);
  }
}

/** Finds the list of events. Old evaluations store pairs of an action and its observation. */
function getOpenhandsEvents(document: Json): { readonly events: readonly Json[]; readonly where: string } {
  const names = ['history', 'trajectory', 'events'];
  const where =
    toOptionalList(document) === undefined
      ? names.find((name) => toOptionalList(getJsonPath(document, name)) !== undefined)
      : '';
  const found =
    toOptionalList(where === undefined || where === '' ? document : getJsonPath(document, where)) ?? [];
  return { events: found.flatMap((event) => toOptionalList(event) ?? [event]), where: where ?? '' };
}
