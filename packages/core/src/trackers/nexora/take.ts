import { changedFile, contentOf, passedBefore, type Ledger } from '../ledger.ts';
import { moved, refusedMove, ticked } from '../machine.ts';
import type { EndedCall, RecordOf } from '../record.ts';
import { unmoved, type Taken, type Takers } from '../taken.ts';
import { forgotten, remembered, type NexoraMind } from './mind.ts';
import { lookedAtProgress, nexoraVerdicts } from './rules.ts';
import { isNexoraState, nexoraSuccessors, type NexoraState } from './states.ts';

export const nexoraTakers: Takers<NexoraMind> = {
  moved: go,
  'phase-started': (mind, { at }) => startPhase(mind, at),
  'phase-completed': (mind) => unmoved(forgotten(mind)),
  'call-ended': (mind, { at }, { ledger, ended }) =>
    unmoved(ended === null ? mind : endCall(mind, ended, { ledger, at })),
  'test-ran': (mind, { command, passed }, { ledger }) =>
    unmoved(passed && !passedBefore(ledger, command) ? progressed(mind) : mind),
  'file-changed': (mind, { file, contentHash }, { ledger }) =>
    unmoved(isNewContent(ledger, file, contentHash) ? progressed(mind) : mind),
  'milestone-reached': (mind) => unmoved(progressed(mind)),
  ticked: (mind) => unmoved({ ...mind, machine: ticked(mind.machine) }),
  'call-made': unmoved,
  'message-said': unmoved,
  'decision-failed': unmoved,
  'blocker-met': unmoved,
};

function go(mind: NexoraMind, { to, at, cause }: RecordOf<'moved'>): Taken<NexoraMind> {
  const { state } = mind.machine;
  const next = nexoraSuccessors(state);
  if (!isNexoraState(to))
    return { mind, error: `there is no state ${to}; ${state} is followed by ${next.join(', ')}` };
  if (!next.includes(to)) return { mind, error: refusedMove(state, to, next) };
  const after = { ...mind, machine: moved(mind.machine, { to, at, cause }) };
  return { mind: to === 'PhaseTransition' ? forgotten(after) : after, error: null };
}

/** From a state that a phase cannot start in nothing changes at all. */
function startPhase(mind: NexoraMind, at: number): Taken<NexoraMind> {
  return go(mind, { type: 'moved', at, to: 'PhaseTransition', cause: 'phase started' });
}

function endCall(
  before: NexoraMind,
  ended: EndedCall,
  { ledger, at }: { readonly ledger: Ledger; readonly at: number },
): NexoraMind {
  const after = remembered(before, ended);
  const file = changedFile(ended, before.config.readTools);
  const { contentHash } = ended.outcome;
  const isNews = file !== null && contentHash !== undefined && isNewContent(ledger, file, contentHash);
  const mind = isNews ? progressed(after) : lookedAtProgress(after);
  return mind.config.autoHalt ? responded(mind, at) : mind;
}

function progressed(mind: NexoraMind): NexoraMind {
  return { ...mind, progressAt: mind.callsSinceReset, stalled: false };
}

function isNewContent(ledger: Ledger, file: string, contentHash: string): boolean {
  return contentOf(ledger, file)?.contentHash !== contentHash;
}

/** Recovery first, as often as it may be tried and where there is one, then the end. */
function responded(mind: NexoraMind, at: number): NexoraMind {
  const verdict = nexoraVerdicts(mind).find(({ level }) => level === 'stuck');
  if (verdict === undefined) return mind.recoveries === 0 ? mind : { ...mind, recoveries: 0 };
  const { recoverableRules, recoveryAttempts } = mind.config;
  const mayRecover = recoverableRules.includes(verdict.rule) && mind.recoveries < recoveryAttempts;
  if (!mayRecover) return moveIfPossible(mind, 'Halted', { at, cause: verdict.rule });
  const recovering = moveIfPossible(mind, 'ErrorRecovery', { at, cause: verdict.rule });
  return { ...recovering, recoveries: mind.recoveries + 1 };
}

function moveIfPossible(
  mind: NexoraMind,
  to: NexoraState,
  { at, cause }: { readonly at: number; readonly cause: string },
): NexoraMind {
  if (!nexoraSuccessors(mind.machine.state).includes(to)) return mind;
  return { ...mind, machine: moved(mind.machine, { to, at, cause }) };
}
