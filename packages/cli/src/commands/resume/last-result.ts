import type { Store } from '@pawl/runtime/store';
import { createRunTally, deriveRunEnding, updateRunTally, type RunTally } from '../../run/drive-run.ts';
import type { RunResult } from '../../run/run-view.ts';
import { openSessionReplay } from '../../sessions/session-replay.ts';

/** Derives the result of a session's last turn from its log; null before the first message. */
export async function deriveLastResult(store: Store, id: string): Promise<RunResult | null> {
  const { created, walked } = await openSessionReplay(store, id);
  let session = created;
  let turn: { readonly startedAt: number; endedAt: number; readonly tally: RunTally } | null = null;
  for await (const { event, after } of walked) {
    session = after.session;
    if (event.type === 'user-message')
      turn = { startedAt: event.at, endedAt: event.at, tally: createRunTally() };
    if (turn === null) continue;
    turn.endedAt = event.at;
    updateRunTally(turn.tally, { event, actions: after.actions });
  }
  if (turn === null) return null;
  const { modelCalls, toolCalls } = turn.tally;
  const durationMs = turn.endedAt - turn.startedAt;
  return { ...deriveRunEnding(session, turn.tally), session: id, modelCalls, toolCalls, durationMs };
}
