import type { ModeChart } from '../modes/mode-chart.ts';
import { overdue } from '../modes/overdue.ts';
import { turnWithVerdict } from '../turn/agenda.ts';
import { withVerdictOn, type Governed } from './governed.ts';
import type { Rule } from './rule.ts';
import { see } from './see.ts';

/** Looks at how long the agent has been in its mode, in steps and in time, and how often it failed in it. */
export function judgeMode(governed: Governed, chart: ModeChart, rules: readonly Rule[]): Governed {
  const { session, event, notes } = governed;
  const { turn, mode } = session;
  if (event.type !== 'model-replied' || turn.status !== 'callingModel' || mode === null) return governed;
  if (turn.ask.finish !== null) return governed;
  const limit = overdue(chart, mode, event.at);
  if (limit === null) return governed;
  const sighting = {
    kind: 'mode',
    seq: session.seq + 1,
    state: mode.state,
    since: mode.enteredAt,
    reason: limit.reason,
  } as const;
  const { session: watched, verdict } = see(session, sighting, rules);
  if (verdict === null) return { session: watched, event, notes };
  const judged = withVerdictOn({ ...watched, turn: turnWithVerdict(turn, verdict) }, event, verdict);
  return { ...judged, notes: [...notes, ...judged.notes] };
}
