/**
 * Changes to what `step` makes of the same events. A session is born with the number of the newest and keeps it for life,
 * so that its log gives the same session in years to come: code that behaves in a new way asks `isAtLeast` first, and goes
 * the old way for sessions with a lower number. Numbers are never used again. docs/replay.md tells how to add one.
 */
export const behaviours = {
  failedPhaseOutlivesCancel: {
    number: 1,
    why: 'Calling off the work dropped a failed phase that was to end the session, and the session went on.',
  },
  budgetHoldsForEveryAsk: {
    number: 2,
    why: 'Retries and new turns asked the model as if there were budget left, and a session used up more than it had.',
  },
  denialsAreSeen: {
    number: 3,
    why: 'The governor saw only calls that ran: a model that asked for ever for what was denied was never stopped.',
  },
  countsAreFair: {
    number: 4,
    why: "A person's absence used up the agent's time, and making room where there was nothing to move was no failure.",
  },
} as const satisfies { readonly [name: string]: Behaviour };

export type Behaviour = { readonly number: number; readonly why: string };

export const newestBehaviour: number = Math.max(...Object.values(behaviours).map(({ number }) => number));

/** Sessions that were begun before there were numbers have none, which is number 0. */
type Born = { readonly behaviour?: number };

export function isAtLeast({ behaviour = 0 }: Born, { number }: Behaviour): boolean {
  return behaviour >= number;
}

/** Why this code cannot continue a session, or null. It would not behave as the code that began the session does. */
export function behaviourFault({ behaviour }: { readonly behaviour?: unknown }): string | null {
  if (behaviour === undefined || isKnown(behaviour)) return null;
  const given = typeof behaviour === 'number' ? String(behaviour) : 'no number';
  return `its behaviour is ${given}, and this version knows those from 0 to ${newestBehaviour}`;
}

function isKnown(behaviour: unknown): boolean {
  return (
    Number.isInteger(behaviour) && (behaviour as number) >= 0 && (behaviour as number) <= newestBehaviour
  );
}
