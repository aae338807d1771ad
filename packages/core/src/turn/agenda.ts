import type { Agenda, Ask } from './state.ts';

export const emptyAgenda: Agenda = { phaseChanges: 0, failedPhase: null, verdict: null, finish: null };

/** An ordinary model call. Shared, so that asking for nothing special costs nothing. */
export const plainAsk: Ask = { advice: null, finish: null, agenda: emptyAgenda };

export function isEmpty(agenda: Agenda): boolean {
  return (
    agenda === emptyAgenda || (agenda.phaseChanges === 0 && agenda.verdict === null && agenda.finish === null)
  );
}
