import type { Settings } from '../../src/settings.ts';
import { blank, unasked, type Context, type Move } from './xstate-oracle-context.ts';
import type { Said } from './xstate-oracle-events.ts';

type Arrival = Move & { readonly context: Context; readonly event: Said; readonly settings: Settings };

/** What is remembered on coming into a state from another; whatever the state has no use for is forgotten. */
export function arrive(arrival: Arrival): Context {
  const { from, to, context, event } = arrival;
  if (event.type === 'resume-requested' && context.held !== null) return context.held.context;
  if (from === to && to !== 'phaseTransition') return context;
  return arrivals[to]?.(arrival) ?? blank;
}

const arrivals: Readonly<Record<string, (arrival: Arrival) => Context>> = {
  waitingForUser: ({ context }) => anew(context.held?.context ?? context),
  callingModel: asking,
  processingResponse: ({ context }) => context,
  awaitingPermission: ({ context }) => ({ ...anew(context), agenda: context.agenda, calls: context.calls }),
  executingTools: ({ from, context, settings }) => {
    const { agenda, calls } = context;
    if (from !== 'progressCheck') return { ...anew(context), agenda, calls };
    const instead = agenda.verdict?.kind === 'run' ? agenda.verdict.calls : [];
    return { ...anew(context), calls: unasked(instead, settings) };
  },
  postToolsHook: ({ from, context }) =>
    from === 'errorRecovery'
      ? { ...context, trouble: null }
      : { ...anew(context), agenda: context.agenda, done: context.done },
  progressCheck: (arrival) => {
    const { agenda, done } = arrival.context;
    return { ...anew(arrival.context), agenda, done: done || endsHere(arrival) };
  },
  phaseTransition: ({ from, context }) => {
    const { agenda } = context;
    const underWay = context.underWay || from === 'progressCheck';
    return { ...context, underWay, agenda: { ...agenda, changes: agenda.changes - 1 } };
  },
  errorRecovery: ({ from, context }) =>
    from === 'progressCheck'
      ? { ...anew(context), recoveries: context.recoveries + 1, trouble: 'stuck' }
      : { ...context, trouble: troubleIn(from) },
  paging: ({ from, context }) => {
    const { agenda, ending, failures } = context;
    if (from === 'errorRecovery') return { ...context, trouble: null };
    return from === 'callingModel'
      ? { ...anew(context), agenda, ending, modelFailures: failures, modelWaits: true }
      : anew(context);
  },
  paused: ({ from, context }) => ({
    ...blank,
    held: { value: from, context: { ...context, trace: blank.trace } },
  }),
};

function anew({ inPhase, recoveries }: Context): Context {
  return { ...blank, inPhase, recoveries };
}

/** The model hears what was said, and with a person's word recoveries are counted anew. */
function asking(arrival: Arrival): Context {
  const asked = askingAnew(arrival);
  const { said } = arrival.context.agenda;
  return said ? { ...asked, recoveries: 0, agenda: { ...asked.agenda, said: false } } : asked;
}

/** The same call again after a failure or for lack of room; or a new one, the agenda worked off if it was checked. */
function askingAnew({ from, context }: Arrival): Context {
  const { agenda, ending, failures, modelFailures, trouble } = context;
  if (from === 'paging') return { ...anew(context), agenda, ending, failures: modelFailures };
  if (from === 'errorRecovery') {
    return trouble === 'model'
      ? { ...anew(context), agenda, ending, failures }
      : { ...anew(context), agenda };
  }
  return { ...anew(context), ending: from === 'progressCheck' ? agenda.finish : null };
}

/** Coming to a check from here, the turn is over whatever the agenda says. */
function endsHere({ from, context, event }: Arrival): boolean {
  if (from === 'processingResponse') return context.ending !== null || context.calls.length === 0;
  if (from === 'errorRecovery') return event.type === 'recovery-finished' && event.outcome.kind === 'give-up';
  return from === 'callingModel' || from === 'paging';
}

function troubleIn(state: string): Context['trouble'] {
  if (state === 'callingModel') return 'model';
  return state === 'paging' ? 'paging' : 'hooks';
}
