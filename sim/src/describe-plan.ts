import { sessionId, sessionNumbers, type Plan, type PlannedCall, type PlannedSession } from './plan.ts';

/** A plan in a few lines, for people. A call that is asked about has a question mark, one that is denied a cross. */
export function describePlan(plan: Plan): readonly string[] {
  const { processes, store, faults } = plan;
  const rates = Object.entries(faults).map(([name, rate]) => `${name} ${rate.toFixed(3)}`);
  return [
    `${processes} ${processes === 1 ? 'process' : 'processes'}, a store in ${store === 'sqlite' ? 'a file' : 'memory'}`,
    `faults: ${rates.length === 0 ? 'none' : rates.join(', ')}`,
    ...sessionNumbers(plan).map(
      (number) => `${sessionId(number)}: ${describeSession(plan.sessions[number])}`,
    ),
  ];
}

function describeSession(session: PlannedSession | undefined): string {
  if (session === undefined) return '';
  const turns = session.turns.map(({ steps, interference }) => {
    const said = steps.map((calls) => calls.map(describeCall).join(' + '));
    return [...said, 'answer', ...(interference === null ? [] : [`(user: ${interference})`])].join(', ');
  });
  const { governed, remembers, modelCalls, ending } = session;
  const traits = [
    ...(governed ? ['governed'] : []),
    ...(remembers ? ['with a memory'] : []),
    ...(modelCalls === null ? [] : [`${modelCalls} model calls at most`]),
    ...(ending === 'wait' ? [] : ['shut down at the end']),
  ];
  return [turns.join(' | '), ...traits].join('; ');
}

const marks = { allow: '', ask: '?', deny: '✗' } as const;

function describeCall({ tool, permission, id }: PlannedCall): string {
  return `${tool}${marks[permission]}${id === 'fresh' ? '' : ` (${id} id)`}`;
}
