import type { ModeChart } from '../modes/mode-chart.ts';
import { findReachedModeLimit } from '../modes/mode-limits.ts';
import { addTurnVerdict } from '../turn/agenda.ts';
import { createVerdictDraft, type StepDraft } from './step-draft.ts';
import type { Rule } from '@pawl/governor';
import { observeSession } from './observe-session.ts';

/** Checks whether the agent has exceeded a limit of its mode: steps, time or failures. */
export function judgeMode(governed: StepDraft, chart: ModeChart, rules: readonly Rule[]): StepDraft {
  const { session, event, notes } = governed;
  const { turn, mode } = session;
  if (event.type !== 'model-replied' || turn.status !== 'callingModel' || mode === null) return governed;
  if (turn.ask.finish !== null) return governed;
  const limit = findReachedModeLimit(chart, mode, event.at);
  if (limit === null) return governed;
  const sighting = {
    kind: 'mode',
    seq: session.seq + 1,
    state: mode.state,
    since: mode.enteredAt,
    reason: limit.reason,
  } as const;
  const { session: watched, verdict } = observeSession(session, sighting, rules);
  if (verdict === null) return { session: watched, event, notes };
  const judged = createVerdictDraft({ ...watched, turn: addTurnVerdict(turn, verdict) }, event, verdict);
  return { ...judged, notes: [...notes, ...judged.notes] };
}
