import { moved, refusedMove, ticked } from '../machine.ts';
import type { RecordOf } from '../record.ts';
import { unmoved, type Taken, type Takers } from '../taken.ts';
import { forgotten, remembered, type SavantMind } from './mind.ts';
import { savantVerdicts } from './rules.ts';
import { isSavantState, isStuckState, savantSuccessors, stuckStateOf, type SavantState } from './states.ts';

type Move = { readonly to: SavantState; readonly at: number; readonly cause: string };

export const savantTakers: Takers<SavantMind> = {
  moved: go,
  'call-made': (mind, record, { ledger }) => makeCall(mind, record, ledger.callsMade + 1),
  'call-ended': (mind, { at }, { ended }) =>
    unmoved(ended === null ? mind : decided(mind, ended.outcome.success, at)),
  'decision-failed': (mind, { at }) => unmoved(decided({ ...mind, acts: mind.acts + 1 }, false, at)),
  'message-said': (mind, { at }) => unmoved(thought(mind, at)),
  ticked: (mind, { at }) => unmoved(tick(mind, at)),
  'phase-started': (mind) => unmoved(forgotten(mind)),
  'phase-completed': (mind) => unmoved(forgotten(mind)),
  'test-ran': unmoved,
  'file-changed': unmoved,
  'milestone-reached': unmoved,
  'blocker-met': unmoved,
};

function go(mind: SavantMind, { to, at, cause }: RecordOf<'moved'>): Taken<SavantMind> {
  const { state } = mind.machine;
  const next = savantSuccessors(state, mind.config);
  if (!isSavantState(to))
    return refused(mind, `there is no state ${to}; ${state} is followed by ${next.join(', ')}`);
  if (!next.includes(to)) return refused(mind, refusedMove(state, to, next));
  return { mind: moveTo(mind, { to, at, cause }), error: null };
}

function refused(mind: SavantMind, refusal: string): Taken<SavantMind> {
  return { mind: { ...mind, refusal }, error: refusal };
}

/** What is held against the agent goes with it into a stuck state, and is the reason it finishes for. */
function moveTo(mind: SavantMind, { to, at, cause }: Move): SavantMind {
  if (to !== 'FINISHING') {
    const held = isStuckState(to) ? mind.held : null;
    return { ...mind, machine: moved(mind.machine, { to, at, cause }), held, refusal: null };
  }
  const verdict = savantVerdicts(mind, at)[0] ?? null;
  const reason = verdict === null ? 'finished' : 'stuck_detection';
  const machine = moved(mind.machine, { to, at, cause: verdict === null ? cause : reason });
  return { ...mind, machine, held: null, refusal: null, finish: { reason, verdict } };
}

/** The state follows from the tool. A tool chosen while analysing is a decision, so that comes first. */
function makeCall(mind: SavantMind, { call, at }: RecordOf<'call-made'>, seq: number): Taken<SavantMind> {
  const { state } = mind.machine;
  const to = stateFor(mind, call.tool);
  const isDecision = state === 'ANALYZING' && to !== 'FINISHING';
  const before = isDecision ? moveTo(mind, { to: 'DECIDING', at, cause: 'decision' }) : mind;
  const followed =
    before.machine.state === to ? before : go(before, { type: 'moved', to, at, cause: call.tool }).mind;
  const known = { ...remembered(followed, seq, call), acts: mind.acts + 1 };
  if (followed.machine.state === to && state !== 'FINISHING') {
    return { mind: judged({ ...known, refusal: null }, at, 'record'), error: null };
  }
  const next = savantSuccessors(state, mind.config);
  const refusal = `${call.tool} is not allowed while ${state}: ${next.length === 0 ? 'nothing follows it' : `go on to ${next.join(' or ')}`}`;
  return refused(judged(known, at, 'record'), refusal);
}

function stateFor({ config }: SavantMind, tool: string): SavantState {
  if (config.finishTools.includes(tool)) return 'FINISHING';
  return config.searchTools.includes(tool) ? 'SEARCHING' : 'DECIDING';
}

function decided(mind: SavantMind, success: boolean, at: number): SavantMind {
  if (success) return mind.failedDecisions === 0 ? mind : { ...mind, failedDecisions: 0 };
  if (mind.machine.state !== 'DECIDING') return mind;
  return judged({ ...mind, failedDecisions: mind.failedDecisions + 1 }, at, 'record');
}

/** Words after a search are thoughts about what it found. */
function thought(mind: SavantMind, at: number): SavantMind {
  if (mind.machine.state !== 'SEARCHING') return mind;
  return moveTo(mind, { to: 'ANALYZING', at, cause: 'message' });
}

function tick(before: SavantMind, at: number): SavantMind {
  const mind = { ...before, machine: ticked(before.machine) };
  const isOver = mind.held !== null || isStuckState(mind.machine.state);
  if (isOver) return moveTo(mind, { to: 'FINISHING', at, cause: 'stuck_detection' });
  return judged(mind, at, 'tick');
}

/**
 * Stops the agent if a rule says so. Where it may be advised first, that happens once: a verdict found after a call is
 * before the model from the next tick on, one found by a tick from then on, and whatever holds after the model has
 * answered stops it.
 */
function judged(mind: SavantMind, at: number, when: 'record' | 'tick'): SavantMind {
  const { state, steps } = mind.machine;
  const [verdict] = savantVerdicts(mind, at);
  if (verdict === undefined || mind.held !== null || isStuckState(state)) return mind;
  if (mind.config.policy === 'force') return stopped({ ...mind, held: verdict }, at);
  if (mind.advised === null) {
    return { ...mind, advised: { step: when === 'tick' ? steps : steps + 1, act: mind.acts } };
  }
  return hasAnswered(mind, mind.advised, when) ? stopped({ ...mind, held: verdict }, at) : mind;
}

/** In a loop that never ticks, whatever the model does next is its answer. */
function hasAnswered(
  { machine, acts }: SavantMind,
  { step, act }: { readonly step: number; readonly act: number },
  when: 'record' | 'tick',
): boolean {
  if (when === 'tick') return machine.steps > step;
  return machine.steps === 0 ? acts > act : machine.steps >= step && acts > act;
}

/** Where there is no stuck state to fall to, the agent stays where it is until the next tick ends the work. */
function stopped(mind: SavantMind, at: number): SavantMind {
  const to = stuckStateOf(mind.machine.state);
  return to === null ? mind : moveTo(mind, { to, at, cause: mind.held?.rule ?? 'stuck_detection' });
}
