import { upgradeProperty, upgradeRuleChanges, type StoredObject } from '../verdicts/upgrade.ts';
import { isStuckVerdict } from '../verdicts/verdict.ts';
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
import { describeCall, type CallContext } from '../observations/command.ts';
import { observeCall, formatToolOutput, type CallObservation } from '../observations/call-observation.ts';
import { fingerprintText } from '../observations/fingerprint.ts';
import type { GovernorObservation, ObservationKind } from '../observations/observation.ts';
import { observeRepetitionLoop } from '../observations/text-observation.ts';
import { observeText } from '../observations/text-observation.ts';
import type { Rule } from '../rules/rule.ts';
import { selectRules } from '../rules/pawl-rules.ts';
import { findLedgerFile, hasTestPassed } from './ledger.ts';
import { parseTrackerConfig } from '../json/config-field.ts';
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
  const settings = upgradeProperty(given as StoredObject, 'rules', upgradeRuleChanges);
  return parseTrackerConfig<PawlConfig>(
    {
      enable: createBooleanField(true),
      rules: ruleChangesField,
      readTools: createNameListField(['view', 'ls', 'grep', 'read', 'search']),
      progressCallbackInterval: createIntegerField(10, 1),
    },
    settings,
  );
}

const thresholdSeverities: readonly string[] = ['advise', 'block', 'ask', 'stop'];

const ruleChangesField: ConfigField<PawlConfig['rules']> = {
  fallback: {},
  expects: `false or numbers for ${thresholdSeverities.join(', ')} by the id of a rule, such as { "no-progress": { "advise": 20 } }`,
  accepts: (value): value is PawlConfig['rules'] =>
    isPlainObject(value) && Object.values(value).every(isRuleChange),
};

function isRuleChange(change: unknown): boolean {
  if (change === false) return true;
  return (
    isPlainObject(change) &&
    Object.entries(change).every(
      ([severity, at]) => thresholdSeverities.includes(severity) && isThreshold(at),
    )
  );
}

function isThreshold(at: unknown): boolean {
  return at === null || (typeof at === 'number' && Number.isFinite(at) && at > 0);
}

export const pawlReducers: RecordReducers<PawlDetectorState> = {
  moved: (detector, { to }) => ({ detector, error: `${to} cannot follow working: there is no other state` }),
  'call-made': (detector, { call }, { ledger }) =>
    acceptRecord(startPawlCall(detector, call, ledger.callsMade + 1)),
  'call-ended': endPawlCall,
  'message-said': (detector, { text }, known) => {
    const seq = known.ledger.callsMade;
    return acceptObservation(detector, observeRepetitionLoop(seq, text) ?? observeText(seq, text), known);
  },
  'decision-failed': countFailedDecision,
  'test-ran': (detector, record, known) =>
    record.passed && !hasTestPassed(known.ledger, record.command)
      ? acceptObservation(
          detector,
          createProgressObservation(`test ${known.ledger.testsPassed}`, record.at, known),
          known,
        )
      : acceptRecord(detector),
  'file-changed': observeFileChange,
  'milestone-reached': (detector, { at }, known) =>
    acceptObservation(
      detector,
      createProgressObservation(`milestone ${known.ledger.milestonesReached}`, at, known),
      known,
    ),
  'phase-started': (detector) => acceptRecord(resetPawlDetector(detector)),
  'phase-completed': (detector) => acceptRecord(resetPawlDetector(detector)),
  ticked: (detector) => acceptRecord({ ...detector, machine: tickMachine(detector.machine) }),
  'blocker-met': acceptRecord,
};

/** The same limit as in the ledger. */
const startedCallsMax = 64;

function acceptObservation(
  detector: PawlDetectorState,
  observation: GovernorObservation,
  { ownRules }: RecordContext,
): RecordOutcome<PawlDetectorState> {
  return acceptRecord(applyPawlObservation(detector, observation, ownRules));
}

/** Stores only fingerprints of a pending call, because arguments can be long. */
function startPawlCall(detector: PawlDetectorState, call: TrackerCall, seq: number): PawlDetectorState {
  const { tool, args, command, query } = call;
  const known = toCallArguments(call);
  const observation = observeCall({ seq, tool, args: known, ok: true, output: '' });
  const context = describeCall(tool, known);
  const isWhole =
    args !== undefined || Boolean(command) || Boolean(query) || detector.config.readTools.includes(tool);
  return {
    ...detector,
    startedCalls: appendRecent(
      detector.startedCalls,
      { observation, isWhole, context: dropCommand(context) },
      startedCallsMax,
    ),
  };
}

/** Commands can be long, and only whether the call is one is needed later. */
function dropCommand(context: CallContext): CallContext {
  return { ...context, command: context.command === null ? null : '' };
}

/** Returns the arguments, or else the other known facts of the call under common argument names. */
function toCallArguments({ args, file, command, query }: TrackerCall): Json {
  if (args !== undefined) return args;
  return { ...(file && { path: file }), ...(command && { command }), ...(query && { query }) };
}

function endPawlCall(
  detector: PawlDetectorState,
  { at }: RecordByType<'call-ended'>,
  known: RecordContext,
): RecordOutcome<PawlDetectorState> {
  const { ended } = known;
  const started = detector.startedCalls.find(({ observation }) => observation.seq === ended?.seq);
  if (ended === null || started === undefined) return acceptRecord(detector);
  const rest = { ...detector, startedCalls: detector.startedCalls.filter((each) => each !== started) };
  return acceptObservation(rest, observeOutcome(started, ended.call, { outcome: ended.outcome, at }), known);
}

function observeOutcome(
  started: StartedCall,
  call: TrackerCall,
  { outcome, at }: { readonly outcome: CallOutcome; readonly at: number },
): CallObservation {
  const { seq, tool, call: key, query, change, kind } = started.observation;
  const { success: ok, error = '', output, contentHash } = outcome;
  const outputText = (ok ? '' : error) || (output === undefined ? '' : formatToolOutput(output));
  const observation = observeCall({
    seq,
    at,
    tool,
    args: null,
    context: started.context,
    ok,
    output: outputText,
    outputHash: fingerprintOutcome(started, outcome),
  });
  const content =
    contentHash === undefined
      ? change
      : { target: fingerprintText(call.file ?? key), from: null, to: fingerprintText(contentHash) };
  const hasFailed = observation.error !== null;
  const isWaiting = !hasFailed && (kind === 'wait' || observation.kind === 'wait');
  return {
    ...observation,
    kind: isWaiting ? 'wait' : 'call',
    call: key,
    query,
    change: hasFailed ? null : content,
    // A missing output is not known to be empty.
    isOutputEmpty: output !== undefined && observation.isOutputEmpty,
  };
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

/** Each failed decision counts as a reply of its own. */
function countFailedDecision(
  detector: PawlDetectorState,
  _: RecordByType<'decision-failed'>,
  known: RecordContext,
): RecordOutcome<PawlDetectorState> {
  const request = detector.failedDecisions + 1;
  const observation = { kind: 'decision', seq: known.ledger.callsMade, request } as const;
  return acceptObservation({ ...detector, failedDecisions: request }, observation, known);
}

/** Unchanged content is ignored; a return to earlier content is recorded as such. */
function observeFileChange(
  detector: PawlDetectorState,
  { at, file, contentHash }: RecordByType<'file-changed'>,
  known: RecordContext,
): RecordOutcome<PawlDetectorState> {
  if (findLedgerFile(known.ledger, file)?.contentHash === contentHash) return acceptRecord(detector);
  const change = { target: fingerprintText(file), from: null, to: fingerprintText(contentHash) };
  return acceptObservation(
    detector,
    { ...createProgressObservation(`${file} ${contentHash}`, at, known), change },
    known,
  );
}

/** Represents progress as a successful call with a unique outcome. */
function createProgressObservation(what: string, at: number, { ledger }: RecordContext): CallObservation {
  const key = fingerprintText(what);
  return {
    kind: 'call',
    seq: ledger.callsMade,
    at,
    tool: 'progress',
    call: key,
    outcome: `ok ${key}`,
    error: null,
    isOutputEmpty: true,
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
  /** How the result is to be read. Absent in snapshots of older releases. */
  readonly context?: CallContext;
};

/** State of the pawl detector. Plain JSON, bounded, and a function of the records alone. */
export type PawlDetectorState = {
  readonly kind: 'pawl';
  readonly config: PawlConfig;
  readonly machine: TrackerMachine<PawlState>;
  readonly startedCalls: readonly StartedCall[];
  readonly windows: ObservationWindows;
  /** The current verdicts, at most one per observation kind. */
  readonly activeVerdicts: readonly { readonly kind: ObservationKind; readonly verdict: TrackerVerdict }[];
  /** Total number of failed decisions. */
  readonly failedDecisions: number;
};

export function createPawlDetector(config: PawlConfig, at: number): PawlDetectorState {
  return {
    kind: 'pawl',
    config,
    machine: createTrackerMachine<PawlState>('working', at),
    startedCalls: [],
    windows: initialDetectorState.windows,
    activeVerdicts: [],
    failedDecisions: 0,
  };
}

/** Clears the history for a new phase; pending calls continue. */
function resetPawlDetector(detector: PawlDetectorState): PawlDetectorState {
  return { ...detector, windows: initialDetectorState.windows, activeVerdicts: [] };
}

/**
 * Adds an observation. Earlier reports are ignored, so that a verdict holds as long as its condition does; verdicts on
 * kinds whose window is empty are dropped.
 */
function applyPawlObservation(
  detector: PawlDetectorState,
  observation: GovernorObservation,
  own: readonly Rule[],
): PawlDetectorState {
  const rules = selectRules({ preset: 'pawl', rules: detector.config.rules }, own);
  const { state: after, match } = runDetector(
    { windows: detector.windows, reportedLoops: [] },
    observation,
    rules,
  );
  const others = detector.activeVerdicts.filter(
    ({ kind }) => kind !== observation.kind && after.windows[kind].length > 0,
  );
  const { kind } = observation;
  const activeVerdicts =
    match === null ? others : [...others, { kind, verdict: toTrackerVerdict(match, kind) }];
  return { ...detector, windows: after.windows, activeVerdicts };
}

/** Returns the current verdicts, most severe first. */
export function listPawlVerdicts({ config, activeVerdicts }: PawlDetectorState): readonly TrackerVerdict[] {
  if (!config.enable) return [];
  const verdicts = activeVerdicts.map(({ verdict }) => verdict);
  return [...verdicts.filter(isStuckVerdict), ...verdicts.filter((verdict) => !isStuckVerdict(verdict))];
}

function toTrackerVerdict(match: GradedMatch, kind: ObservationKind): TrackerVerdict {
  const { severity, rule, loop, reason, advice, evidence, counterEvidence } = match;
  const isCall = kind === 'call' || kind === 'wait';
  return {
    severity,
    rule,
    loop: `${severity === 'advise' ? 'warning' : 'stuck'} ${rule} ${loop}`,
    reason,
    advice,
    evidence: isCall ? evidence.map(({ seq }) => seq) : [],
    counterEvidence: isCall ? counterEvidence.map(({ seq }) => seq) : [],
  };
}
