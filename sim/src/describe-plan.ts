import {
  formatSimSessionId,
  listSessionNumbers,
  type SimPlan,
  type PlannedCall,
  type PlannedSession,
} from './plan.ts';

/** Describes a plan in a few lines. A call that needs approval has a question mark, a denied call a cross. */
export function describePlan(plan: SimPlan): readonly string[] {
  const { processes, store, faults } = plan;
  const rates = Object.entries(faults).map(([name, rate]) => `${name} ${rate.toFixed(3)}`);
  return [
    `${processes} ${processes === 1 ? 'process' : 'processes'}, a store in ${store === 'sqlite' ? 'a file' : 'memory'}`,
    `faults: ${rates.length === 0 ? 'none' : rates.join(', ')}`,
    ...listSessionNumbers(plan).map(
      (number) => `${formatSimSessionId(number)}: ${describePlannedSession(plan.sessions[number])}`,
    ),
  ];
}

function describePlannedSession(session: PlannedSession | undefined): string {
  if (session === undefined) return '';
  const turns = session.turns.map(({ steps, interference }) => {
    const replies = steps.map((calls) => calls.map(describePlannedCall).join(' + '));
    return [...replies, 'answer', ...(interference === null ? [] : [`(user: ${interference})`])].join(', ');
  });
  const { governed, hasMemory, modelCalls, ending } = session;
  const traits = [
    ...(governed ? ['governed'] : []),
    ...(hasMemory ? ['with a memory'] : []),
    ...(modelCalls === null ? [] : [`${modelCalls} model calls at most`]),
    ...(ending === 'wait' ? [] : ['shut down at the end']),
  ];
  return [turns.join(' | '), ...traits].join('; ');
}

const permissionSymbols = { allow: '', ask: '?', deny: '✗' } as const;

function describePlannedCall({ tool, permission, id }: PlannedCall): string {
  return `${tool}${permissionSymbols[permission]}${id === 'fresh' ? '' : ` (${id} id)`}`;
}
