import {
  createBooleanField,
  isPlainObject,
  createNameListField,
  createIntegerField,
  type ConfigField,
} from '../json/config-field.ts';
import {
  initialDetectorState,
  runDetector,
  type GradedMatch,
  type ObservationWindows,
} from '../verdicts/detector.ts';
import type { GovernorSettings } from '../rules/governor-settings.ts';
import type { Json } from '../json/json.ts';
import { observeCall, formatToolOutput, type CallObservation } from '../observations/call-observation.ts';
import { fingerprintText } from '../observations/fingerprint.ts';
import type { GovernorObservation, ObservationKind } from '../observations/observation.ts';
import { findRepetitionLoop } from '../observations/repetition-loop.ts';
import { observeText } from '../observations/text-observation.ts';
import type { Rule } from '../rules/rule.ts';
import { selectRules } from '../rules/pawl-rules.ts';
import { findLedgerFile, hasTestPassed } from './ledger.ts';
import { parseTrackerConfig } from './tracker-config.ts';
import { tickMachine, appendRecent, createTrackerMachine, type TrackerMachine } from './tracker-machine.ts';
import {
  type CallOutcome,
  type RecordByType,
  type TrackerCall,
  acceptRecord,
  type RecordContext,
  type RecordOutcome,
  type RecordReducers,
} from './tracker-record.ts';
import type { TrackerVerdict } from './tracker-verdict.ts';

export type PawlConfig = {
  /** Whether rules produce verdicts; events are recorded either way. */
  readonly enable: boolean;
  /** Overrides for single rules: other thresholds, or false to disable a rule. */
  readonly rules: GovernorSettings['rules'];
  /** Read-only tools. */
  readonly readTools: readonly string[];
  readonly progressCallbackInterval: number;
};

export function parsePawlConfig(given: object): PawlConfig {
  return parseTrackerConfig<PawlConfig>(
    {
      enable: createBooleanField(true),
      rules: ruleChangesField,
      readTools: createNameListField(['view', 'ls', 'grep', 'read', 'search']),
      progressCallbackInterval: createIntegerField(10, 1),
    },
    given,
  );
}

const thresholdLevels: readonly string[] = ['advise', 'refuse', 'ask', 'finish'];

const ruleChangesField: ConfigField<PawlConfig['rules']> = {
  fallback: {},
  expects: `false or numbers for ${thresholdLevels.join(', ')} by the id of a rule, such as { "no-progress": { "advise": 20 } }`,
  accepts: (value): value is PawlConfig['rules'] =>
    isPlainObject(value) && Object.values(value).every(isRuleChange),
};

function isRuleChange(change: unknown): boolean {
  if (change === false) return true;
  return (
    isPlainObject(change) &&
    Object.entries(change).every(([level, at]) => thresholdLevels.includes(level) && isThreshold(at))
  );
}

function isThreshold(at: unknown): boolean {
  return at === null || (typeof at === 'number' && Number.isFinite(at) && at > 0);
}

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

/** The rules do not depend on the agent's state, so there is only one. */
export type PawlState = 'working';

/** A started call, with the facts known so far. */
export type StartedCall = {
  readonly observation: CallObservation;
  /** Whether the known facts identify the call; its tool and file alone do not. */
  readonly isWhole: boolean;
};

/** State of the pawl detector. Plain JSON, bounded, and a function of the records alone. */
export type PawlDetectorState = {
  readonly kind: 'pawl';
  readonly config: PawlConfig;
  readonly machine: TrackerMachine<PawlState>;
  readonly begun: readonly StartedCall[];
  readonly seen: ObservationWindows;
  /** The current verdicts, at most one per observation kind. */
  readonly standing: readonly { readonly kind: ObservationKind; readonly verdict: TrackerVerdict }[];
  /** Total number of failed decisions. */
  readonly failedDecisions: number;
};

export function createPawlDetector(config: PawlConfig, at: number): PawlDetectorState {
  return {
    kind: 'pawl',
    config,
    machine: createTrackerMachine<PawlState>('working', at),
    begun: [],
    seen: initialDetectorState.seen,
    standing: [],
    failedDecisions: 0,
  };
}

/** Clears the history for a new phase; pending calls continue. */
function resetPawlDetector(mind: PawlDetectorState): PawlDetectorState {
  return { ...mind, seen: initialDetectorState.seen, standing: [] };
}

/**
 * Adds an observation. Earlier reports are ignored, so that a verdict holds as long as its condition does; verdicts on
 * kinds whose window is empty are dropped.
 */
function applyPawlObservation(
  mind: PawlDetectorState,
  observation: GovernorObservation,
  own: readonly Rule[],
): PawlDetectorState {
  const rules = selectRules({ preset: 'pawl', rules: mind.config.rules }, own);
  const { state: after, match } = runDetector({ seen: mind.seen, spoken: [] }, observation, rules);
  const others = mind.standing.filter(({ kind }) => kind !== observation.kind && after.seen[kind].length > 0);
  const { kind } = observation;
  const standing = match === null ? others : [...others, { kind, verdict: toTrackerVerdict(match, kind) }];
  return { ...mind, seen: after.seen, standing };
}

/** Returns the current verdicts, most severe first. */
export function listPawlVerdicts({ config, standing }: PawlDetectorState): readonly TrackerVerdict[] {
  if (!config.enable) return [];
  const verdicts = standing.map(({ verdict }) => verdict);
  return (['stuck', 'suspect'] as const).flatMap((grave) => verdicts.filter(({ level }) => level === grave));
}

/** Severity `advise` becomes `suspect`; every higher severity becomes `stuck`. */
function toTrackerVerdict(match: GradedMatch, kind: ObservationKind): TrackerVerdict {
  const { rule, loop, reason, advice, evidence, counterEvidence } = match;
  const level = match.level === 'advise' ? 'suspect' : 'stuck';
  const isCall = kind === 'work' || kind === 'waiting';
  return {
    level,
    rule,
    loop: `${level} ${rule} ${loop}`,
    reason,
    advice,
    evidence: isCall ? evidence.map(({ seq }) => seq) : [],
    counterEvidence: isCall ? counterEvidence.map(({ seq }) => seq) : [],
  };
}
