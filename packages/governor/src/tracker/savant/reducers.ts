import { transitionMachine, describeRefusedTransition, tickMachine } from '../tracker-machine.ts';
import type { RecordByType } from '../tracker-record.ts';
import { acceptRecord, type RecordOutcome, type RecordReducers } from '../record-reducers.ts';
import { resetSavantDetector, recordSavantCall, type SavantDetectorState } from './detector-state.ts';
import { listSavantVerdicts } from './rules.ts';
import {
  isSavantState,
  isStuckState,
  listSavantSuccessors,
  getStuckState,
  type SavantState,
} from './states.ts';

type SavantTransition = { readonly to: SavantState; readonly at: number; readonly cause: string };

export const savantReducers: RecordReducers<SavantDetectorState> = {
  moved: transitionSavant,
  'call-made': (mind, record, { ledger }) => applySavantCall(mind, record, ledger.callsMade + 1),
  'call-ended': (mind, { at }, { ended }) =>
    acceptRecord(ended === null ? mind : recordDecision(mind, ended.outcome.success, at)),
  'decision-failed': (mind, { at }) =>
    acceptRecord(recordDecision({ ...mind, acts: mind.acts + 1 }, false, at)),
  'message-said': (mind, { at }) => acceptRecord(recordThought(mind, at)),
  ticked: (mind, { at }) => acceptRecord(tickSavant(mind, at)),
  'phase-started': (mind) => acceptRecord(resetSavantDetector(mind)),
  'phase-completed': (mind) => acceptRecord(resetSavantDetector(mind)),
  'test-ran': acceptRecord,
  'file-changed': acceptRecord,
  'milestone-reached': acceptRecord,
  'blocker-met': acceptRecord,
};

function transitionSavant(
  mind: SavantDetectorState,
  { to, at, cause }: RecordByType<'moved'>,
): RecordOutcome<SavantDetectorState> {
  const { state } = mind.machine;
  const next = listSavantSuccessors(state, mind.config);
  if (!isSavantState(to))
    return refuseSavantRecord(mind, `there is no state ${to}; ${state} is followed by ${next.join(', ')}`);
  if (!next.includes(to)) return refuseSavantRecord(mind, describeRefusedTransition(state, to, next));
  return { mind: enterSavantState(mind, { to, at, cause }), error: null };
}

function refuseSavantRecord(mind: SavantDetectorState, refusal: string): RecordOutcome<SavantDetectorState> {
  return { mind: { ...mind, refusal }, error: refusal };
}

/** A held verdict carries over into a stuck state and becomes the reason for finishing. */
function enterSavantState(
  mind: SavantDetectorState,
  { to, at, cause }: SavantTransition,
): SavantDetectorState {
  if (to !== 'FINISHING') {
    const held = isStuckState(to) ? mind.held : null;
    return { ...mind, machine: transitionMachine(mind.machine, { to, at, cause }), held, refusal: null };
  }
  const verdict = listSavantVerdicts(mind, at)[0] ?? null;
  const reason = verdict === null ? 'finished' : 'stuck_detection';
  const machine = transitionMachine(mind.machine, { to, at, cause: verdict === null ? cause : reason });
  return { ...mind, machine, held: null, refusal: null, finish: { reason, verdict } };
}

/** The tool determines the state. Choosing a tool while analyzing is a decision, so DECIDING comes first. */
function applySavantCall(
  mind: SavantDetectorState,
  { call, at }: RecordByType<'call-made'>,
  seq: number,
): RecordOutcome<SavantDetectorState> {
  const { state } = mind.machine;
  const to = selectSavantState(mind, call.tool);
  const isDecision = state === 'ANALYZING' && to !== 'FINISHING';
  const before = isDecision ? enterSavantState(mind, { to: 'DECIDING', at, cause: 'decision' }) : mind;
  const followed =
    before.machine.state === to
      ? before
      : transitionSavant(before, { type: 'moved', to, at, cause: call.tool }).mind;
  const known = { ...recordSavantCall(followed, seq, call), acts: mind.acts + 1 };
  if (followed.machine.state === to && state !== 'FINISHING') {
    return { mind: judgeSavantState({ ...known, refusal: null }, at, 'record'), error: null };
  }
  const next = listSavantSuccessors(state, mind.config);
  const refusal = `${call.tool} is not allowed while ${state}: ${next.length === 0 ? 'nothing follows it' : `go on to ${next.join(' or ')}`}`;
  return refuseSavantRecord(judgeSavantState(known, at, 'record'), refusal);
}

function selectSavantState({ config }: SavantDetectorState, tool: string): SavantState {
  if (config.finishTools.includes(tool)) return 'FINISHING';
  return config.searchTools.includes(tool) ? 'SEARCHING' : 'DECIDING';
}

function recordDecision(mind: SavantDetectorState, success: boolean, at: number): SavantDetectorState {
  if (success) return mind.failedDecisions === 0 ? mind : { ...mind, failedDecisions: 0 };
  if (mind.machine.state !== 'DECIDING') return mind;
  return judgeSavantState({ ...mind, failedDecisions: mind.failedDecisions + 1 }, at, 'record');
}

/** Text after a search is analysis of its results. */
function recordThought(mind: SavantDetectorState, at: number): SavantDetectorState {
  if (mind.machine.state !== 'SEARCHING') return mind;
  return enterSavantState(mind, { to: 'ANALYZING', at, cause: 'message' });
}

function tickSavant(before: SavantDetectorState, at: number): SavantDetectorState {
  const mind = { ...before, machine: tickMachine(before.machine) };
  const isOver = mind.held !== null || isStuckState(mind.machine.state);
  if (isOver) return enterSavantState(mind, { to: 'FINISHING', at, cause: 'stuck_detection' });
  return judgeSavantState(mind, at, 'tick');
}

/**
 * Stops the agent if a rule matches. If the policy allows advice first, it is given once: a verdict found after a call
 * reaches the model at the next tick, one found by a tick at once, and any verdict that holds after the model has
 * answered stops it.
 */
function judgeSavantState(
  mind: SavantDetectorState,
  at: number,
  when: 'record' | 'tick',
): SavantDetectorState {
  const { state, steps } = mind.machine;
  const [verdict] = listSavantVerdicts(mind, at);
  if (verdict === undefined || mind.held !== null || isStuckState(state)) return mind;
  if (mind.config.policy === 'force') return stopSavantAgent({ ...mind, held: verdict }, at);
  if (mind.advised === null) {
    return { ...mind, advised: { step: when === 'tick' ? steps : steps + 1, act: mind.acts } };
  }
  return hasAnswered(mind, mind.advised, when) ? stopSavantAgent({ ...mind, held: verdict }, at) : mind;
}

/** In a loop that never ticks, the model's next action is its answer. */
function hasAnswered(
  { machine, acts }: SavantDetectorState,
  { step, act }: { readonly step: number; readonly act: number },
  when: 'record' | 'tick',
): boolean {
  if (when === 'tick') return machine.steps > step;
  return machine.steps === 0 ? acts > act : machine.steps >= step && acts > act;
}

/** Without a stuck state, the agent stays where it is until the next tick ends the work. */
function stopSavantAgent(mind: SavantDetectorState, at: number): SavantDetectorState {
  const to = getStuckState(mind.machine.state);
  return to === null ? mind : enterSavantState(mind, { to, at, cause: mind.held?.rule ?? 'stuck_detection' });
}
