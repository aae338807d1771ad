import { getChangedFile, findLedgerFile, hasTestPassed, type TrackerLedger } from '../ledger.ts';
import { transitionMachine, describeRefusedTransition, tickMachine } from '../tracker-machine.ts';
import type { EndedCall, RecordByType } from '../tracker-record.ts';
import { acceptRecord, type RecordOutcome, type RecordReducers } from '../record-reducers.ts';
import { resetNexoraDetector, recordNexoraCall, type NexoraDetectorState } from './detector-state.ts';
import { updateStalled, listNexoraVerdicts } from './rules.ts';
import { isNexoraState, listNexoraSuccessors, type NexoraState } from './states.ts';

export const nexoraReducers: RecordReducers<NexoraDetectorState> = {
  moved: transitionNexora,
  'phase-started': (mind, { at }) => startNexoraPhase(mind, at),
  'phase-completed': (mind) => acceptRecord(resetNexoraDetector(mind)),
  'call-ended': (mind, { at }, { ledger, ended }) =>
    acceptRecord(ended === null ? mind : endNexoraCall(mind, ended, { ledger, at })),
  'test-ran': (mind, { command, passed }, { ledger }) =>
    acceptRecord(passed && !hasTestPassed(ledger, command) ? markProgress(mind) : mind),
  'file-changed': (mind, { file, contentHash }, { ledger }) =>
    acceptRecord(isNewContent(ledger, file, contentHash) ? markProgress(mind) : mind),
  'milestone-reached': (mind) => acceptRecord(markProgress(mind)),
  ticked: (mind) => acceptRecord({ ...mind, machine: tickMachine(mind.machine) }),
  'call-made': acceptRecord,
  'message-said': acceptRecord,
  'decision-failed': acceptRecord,
  'blocker-met': acceptRecord,
};

function transitionNexora(
  mind: NexoraDetectorState,
  { to, at, cause }: RecordByType<'moved'>,
): RecordOutcome<NexoraDetectorState> {
  const { state } = mind.machine;
  const next = listNexoraSuccessors(state);
  if (!isNexoraState(to))
    return { mind, error: `there is no state ${to}; ${state} is followed by ${next.join(', ')}` };
  if (!next.includes(to)) return { mind, error: describeRefusedTransition(state, to, next) };
  const after = { ...mind, machine: transitionMachine(mind.machine, { to, at, cause }) };
  return { mind: to === 'PhaseTransition' ? resetNexoraDetector(after) : after, error: null };
}

/** A phase can only start in a state that allows it; otherwise nothing changes. */
function startNexoraPhase(mind: NexoraDetectorState, at: number): RecordOutcome<NexoraDetectorState> {
  return transitionNexora(mind, { type: 'moved', at, to: 'PhaseTransition', cause: 'phase started' });
}

function endNexoraCall(
  before: NexoraDetectorState,
  ended: EndedCall,
  { ledger, at }: { readonly ledger: TrackerLedger; readonly at: number },
): NexoraDetectorState {
  const after = recordNexoraCall(before, ended);
  const file = getChangedFile(ended, before.config.readTools);
  const { contentHash } = ended.outcome;
  const isNews = file !== null && contentHash !== undefined && isNewContent(ledger, file, contentHash);
  const mind = isNews ? markProgress(after) : updateStalled(after);
  return mind.config.autoHalt ? respondToVerdict(mind, at) : mind;
}

function markProgress(mind: NexoraDetectorState): NexoraDetectorState {
  return { ...mind, progressAt: mind.callsSinceReset, stalled: false };
}

function isNewContent(ledger: TrackerLedger, file: string, contentHash: string): boolean {
  return findLedgerFile(ledger, file)?.contentHash !== contentHash;
}

/** Recovers if the rule allows it and attempts are left, otherwise halts. */
function respondToVerdict(mind: NexoraDetectorState, at: number): NexoraDetectorState {
  const verdict = listNexoraVerdicts(mind).find(({ level }) => level === 'stuck');
  if (verdict === undefined) return mind.recoveries === 0 ? mind : { ...mind, recoveries: 0 };
  const { recoverableRules, recoveryAttempts } = mind.config;
  const mayRecover = recoverableRules.includes(verdict.rule) && mind.recoveries < recoveryAttempts;
  if (!mayRecover) return transitionIfPossible(mind, 'Halted', { at, cause: verdict.rule });
  const recovering = transitionIfPossible(mind, 'ErrorRecovery', { at, cause: verdict.rule });
  return { ...recovering, recoveries: mind.recoveries + 1 };
}

function transitionIfPossible(
  mind: NexoraDetectorState,
  to: NexoraState,
  { at, cause }: { readonly at: number; readonly cause: string },
): NexoraDetectorState {
  if (!listNexoraSuccessors(mind.machine.state).includes(to)) return mind;
  return { ...mind, machine: transitionMachine(mind.machine, { to, at, cause }) };
}
