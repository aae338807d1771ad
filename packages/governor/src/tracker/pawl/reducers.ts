import { findRepetitionLoop } from '../../observations/repetition-loop.ts';
import { fingerprintText } from '../../observations/fingerprint.ts';
import { observeCall, formatToolOutput, type CallObservation } from '../../observations/call-observation.ts';
import { observeText } from '../../observations/text-observation.ts';
import type { GovernorObservation } from '../../observations/observation.ts';
import type { Json } from '../../json.ts';
import { findLedgerFile, hasTestPassed } from '../ledger.ts';
import { tickMachine } from '../tracker-machine.ts';
import { appendRecent } from '../append-recent.ts';
import type { CallOutcome, RecordByType, TrackerCall } from '../tracker-record.ts';
import {
  acceptRecord,
  type RecordContext,
  type RecordOutcome,
  type RecordReducers,
} from '../record-reducers.ts';
import {
  resetPawlDetector,
  applyPawlObservation,
  type StartedCall,
  type PawlDetectorState,
} from './detector-state.ts';

export const pawlReducers: RecordReducers<PawlDetectorState> = {
  moved: (mind, { to }) => ({ mind, error: `${to} cannot follow working: there is no other state` }),
  'call-made': (mind, { call }, { ledger }) => acceptRecord(startPawlCall(mind, call, ledger.callsMade + 1)),
  'call-ended': endPawlCall,
  'message-said': (mind, { text }, known) =>
    acceptObservation(mind, observeMessage(text, known.ledger.callsMade), known),
  'decision-failed': countFailedDecision,
  'test-ran': (mind, record, known) =>
    record.passed && !hasTestPassed(known.ledger, record.command)
      ? acceptObservation(
          mind,
          createProgressObservation(`test ${known.ledger.testsPassed}`, record.at, known),
          known,
        )
      : acceptRecord(mind),
  'file-changed': observeFileChange,
  'milestone-reached': (mind, { at }, known) =>
    acceptObservation(
      mind,
      createProgressObservation(`milestone ${known.ledger.milestonesReached}`, at, known),
      known,
    ),
  'phase-started': (mind) => acceptRecord(resetPawlDetector(mind)),
  'phase-completed': (mind) => acceptRecord(resetPawlDetector(mind)),
  ticked: (mind) => acceptRecord({ ...mind, machine: tickMachine(mind.machine) }),
  'blocker-met': acceptRecord,
};

/** The same limit as in the ledger. */
const startedCallsMax = 64;

function acceptObservation(
  mind: PawlDetectorState,
  observation: GovernorObservation,
  { ownRules }: RecordContext,
): RecordOutcome<PawlDetectorState> {
  return acceptRecord(applyPawlObservation(mind, observation, ownRules));
}

/** Stores only fingerprints of a pending call, because arguments can be long. */
function startPawlCall(mind: PawlDetectorState, call: TrackerCall, seq: number): PawlDetectorState {
  const { tool, args, command, query } = call;
  const observation = observeCall({ seq, tool, args: toCallArguments(call), ok: true, output: '' });
  const isWhole =
    args !== undefined || Boolean(command) || Boolean(query) || mind.config.readTools.includes(tool);
  return { ...mind, begun: appendRecent(mind.begun, { observation, isWhole }, startedCallsMax) };
}

/** Returns the arguments, or else the other known facts of the call under common argument names. */
function toCallArguments({ args, file, command, query }: TrackerCall): Json {
  if (args !== undefined) return args;
  return { ...(file && { path: file }), ...(command && { command }), ...(query && { query }) };
}

function endPawlCall(
  mind: PawlDetectorState,
  { at }: RecordByType<'call-ended'>,
  known: RecordContext,
): RecordOutcome<PawlDetectorState> {
  const { ended } = known;
  const begun = mind.begun.find(({ observation }) => observation.seq === ended?.seq);
  if (ended === null || begun === undefined) return acceptRecord(mind);
  const rest = { ...mind, begun: mind.begun.filter((each) => each !== begun) };
  return acceptObservation(rest, observeOutcome(begun, ended.call, { outcome: ended.outcome, at }), known);
}

function observeOutcome(
  begun: StartedCall,
  call: TrackerCall,
  { outcome, at }: { readonly outcome: CallOutcome; readonly at: number },
): CallObservation {
  const { seq, tool, call: key, query, change, kind } = begun.observation;
  const { success: ok, error = '', output, contentHash } = outcome;
  const said = (ok ? '' : error) || (output === undefined ? '' : formatToolOutput(output));
  const seen = observeCall({
    seq,
    at,
    tool,
    args: null,
    ok,
    output: said,
    outputHash: fingerprintOutcome(begun, outcome),
  });
  const content =
    contentHash === undefined
      ? change
      : { target: fingerprintText(call.file ?? key), from: null, to: fingerprintText(contentHash) };
  const isWaiting = ok && (kind === 'waiting' || seen.kind === 'waiting');
  return { ...seen, kind: isWaiting ? 'waiting' : 'work', call: key, query, change: ok ? content : null };
}

/**
 * Computes the outcome of a success whose output is missing or incomplete. New file content is a new outcome whatever
 * the tool returns. A success without output is unknown: a repeated call is then a repetition and another call is not,
 * and a call known only by its tool and file counts as another call.
 */
function fingerprintOutcome(
  { observation: { call, seq }, isWhole }: StartedCall,
  { success, output, contentHash }: CallOutcome,
): string | undefined {
  if (!success) return undefined;
  if (contentHash !== undefined) {
    return fingerprintText(`${call} ${contentHash} ${output === undefined ? '' : formatToolOutput(output)}`);
  }
  if (output !== undefined) return undefined;
  return isWhole ? call : `${call} ${seq}`;
}

function observeMessage(text: string, seq: number): GovernorObservation {
  const chant = findRepetitionLoop(text);
  if (chant === null) return observeText(seq, text);
  return { kind: 'chant', seq, block: chant.block.slice(0, repetitionQuoteMax), times: chant.times };
}

/** Maximum length of the quoted block, in characters. */
const repetitionQuoteMax = 120;

/** Each failed decision counts as a reply of its own. */
function countFailedDecision(
  mind: PawlDetectorState,
  _: RecordByType<'decision-failed'>,
  known: RecordContext,
): RecordOutcome<PawlDetectorState> {
  const request = mind.failedDecisions + 1;
  const observation = { kind: 'decision', seq: known.ledger.callsMade, request } as const;
  return acceptObservation({ ...mind, failedDecisions: request }, observation, known);
}

/** Unchanged content is ignored; a return to earlier content is recorded as such. */
function observeFileChange(
  mind: PawlDetectorState,
  { at, file, contentHash }: RecordByType<'file-changed'>,
  known: RecordContext,
): RecordOutcome<PawlDetectorState> {
  if (findLedgerFile(known.ledger, file)?.contentHash === contentHash) return acceptRecord(mind);
  const change = { target: fingerprintText(file), from: null, to: fingerprintText(contentHash) };
  return acceptObservation(
    mind,
    { ...createProgressObservation(`${file} ${contentHash}`, at, known), change },
    known,
  );
}

/** Represents progress as a successful call with a unique outcome. */
function createProgressObservation(what: string, at: number, { ledger }: RecordContext): CallObservation {
  const key = fingerprintText(what);
  return {
    kind: 'work',
    seq: ledger.callsMade,
    at,
    tool: 'progress',
    call: key,
    outcome: `ok ${key}`,
    error: null,
    mute: true,
    query: null,
    change: null,
  };
}
