import { isStuckVerdict } from '../verdicts/verdict.ts';
import { createBooleanField, createNameListField, createIntegerField } from '../json/config-field.ts';
import { fingerprintMeaning } from '../observations/fingerprint.ts';
import { getChangedFile, findLedgerFile, hasTestPassed, type TrackerLedger } from './ledger.ts';
import {
  parseTrackerConfig,
  type TrackerConfigFields,
  type TrackerConfigInput,
} from '../json/config-field.ts';
import {
  transitionMachine,
  findSuccessor,
  tickMachine,
  createTrackerMachine,
  type TrackerMachine,
  appendRecent,
} from './tracker-machine.ts';
import {
  type EndedCall,
  type RecordByType,
  acceptRecord,
  type RecordOutcome,
  type RecordReducers,
  type TrackerCall,
} from './tracker-record.ts';
import type { TrackerVerdict } from './tracker-verdict.ts';

export type NexoraConfig = {
  /** Whether rules produce verdicts; events are recorded either way. */
  readonly enable: boolean;
  /** How many consecutive identical errors on the same target make the agent stuck. */
  readonly stuckThreshold: number;
  /** How many alternating changes of two files count as oscillation. */
  readonly oscillationWindow: number;
  /** How many actions without progress count as stalled. */
  readonly noProgressWindow: number;
  /** Number of calls between progress checks. */
  readonly progressCheckInterval: number;
  /** Number of calls between progress callbacks. */
  readonly progressCallbackInterval: number;
  readonly maxRecentActions: number;
  readonly maxRecentErrors: number;
  /** Read-only tools. */
  readonly readTools: readonly string[];
  /** Whether the tracker itself enters ErrorRecovery and Halted when stuck. */
  readonly autoHalt: boolean;
  /** How often recovery may be tried before the tracker halts. */
  readonly recoveryAttempts: number;
  /** The rules that allow recovery; the others halt at once. */
  readonly recoverableRules: readonly string[];
};

const nexoraFields: TrackerConfigFields<NexoraConfig> = {
  enable: createBooleanField(true),
  stuckThreshold: createIntegerField(3, 1),
  oscillationWindow: createIntegerField(4, 4),
  noProgressWindow: createIntegerField(10, 1),
  progressCheckInterval: createIntegerField(10, 1),
  progressCallbackInterval: createIntegerField(10, 1),
  maxRecentActions: createIntegerField(20, 1),
  maxRecentErrors: createIntegerField(10, 1),
  readTools: createNameListField(['view', 'ls', 'grep']),
  autoHalt: createBooleanField(false),
  recoveryAttempts: createIntegerField(3, 0),
  recoverableRules: createNameListField(['same_error']),
};

/** For agents that often fail a few times before they succeed. */
export const lenientNexoraConfig: TrackerConfigInput<NexoraConfig> = {
  stuckThreshold: 5,
  noProgressWindow: 15,
  progressCheckInterval: 15,
};

export function parseNexoraConfig(given: object, base: object = {}): NexoraConfig {
  const defaults = parseTrackerConfig(nexoraFields, base);
  const adjusted = Object.fromEntries(
    Object.entries(nexoraFields).map(([key, field]) => [
      key,
      { ...field, fallback: defaults[key as keyof NexoraConfig] },
    ]),
  ) as TrackerConfigFields<NexoraConfig>;
  const config = parseTrackerConfig(adjusted, given);
  checkHistoryLimit(config, 'stuckThreshold', 'maxRecentErrors');
  checkHistoryLimit(config, 'oscillationWindow', 'maxRecentActions');
  checkHistoryLimit(config, 'noProgressWindow', 'maxRecentActions');
  return config;
}

type NumericConfigKey = 'stuckThreshold' | 'oscillationWindow' | 'noProgressWindow' | `maxRecent${string}`;

/** A rule that looks back further than the history would silently never match. */
function checkHistoryLimit(
  config: NexoraConfig,
  rule: NumericConfigKey & keyof NexoraConfig,
  memory: NumericConfigKey & keyof NexoraConfig,
): void {
  if (config[rule] <= config[memory]) return;
  throw new TypeError(
    `Tracker config: ${rule} is ${config[rule]}, so ${memory} must be at least that, and is ${config[memory]}.`,
  );
}

export const nexoraReducers: RecordReducers<NexoraDetectorState> = {
  moved: transitionNexora,
  'phase-started': (detector, { at }) => startNexoraPhase(detector, at),
  'phase-completed': (detector) => acceptRecord(resetNexoraDetector(detector)),
  'call-ended': (detector, { at }, { ledger, ended }) =>
    acceptRecord(ended === null ? detector : endNexoraCall(detector, ended, { ledger, at })),
  'test-ran': (detector, { command, passed }, { ledger }) =>
    acceptRecord(passed && !hasTestPassed(ledger, command) ? markProgress(detector) : detector),
  'file-changed': (detector, { file, contentHash }, { ledger }) =>
    acceptRecord(isNewContent(ledger, file, contentHash) ? markProgress(detector) : detector),
  'milestone-reached': (detector) => acceptRecord(markProgress(detector)),
  ticked: (detector) => acceptRecord({ ...detector, machine: tickMachine(detector.machine) }),
  'call-made': acceptRecord,
  'message-said': acceptRecord,
  'decision-failed': acceptRecord,
  'blocker-met': acceptRecord,
};

function transitionNexora(
  detector: NexoraDetectorState,
  { to: name, at, cause }: RecordByType<'moved'>,
): RecordOutcome<NexoraDetectorState> {
  const { state } = detector.machine;
  const successor = findSuccessor(state, name, { next: listNexoraSuccessors(state), isState: isNexoraState });
  if (!successor.ok) return { detector, error: successor.error };
  const { to } = successor;
  const after = { ...detector, machine: transitionMachine(detector.machine, { to, at, cause }) };
  return { detector: to === 'PhaseTransition' ? resetNexoraDetector(after) : after, error: null };
}

/** A phase can only start in a state that allows it; otherwise nothing changes. */
function startNexoraPhase(detector: NexoraDetectorState, at: number): RecordOutcome<NexoraDetectorState> {
  return transitionNexora(detector, { type: 'moved', at, to: 'PhaseTransition', cause: 'phase started' });
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
  const detector = isNews ? markProgress(after) : updateStalled(after);
  return detector.config.autoHalt ? respondToVerdict(detector, at) : detector;
}

function markProgress(detector: NexoraDetectorState): NexoraDetectorState {
  return { ...detector, progressAt: detector.callsSinceReset, stalled: false };
}

function isNewContent(ledger: TrackerLedger, file: string, contentHash: string): boolean {
  return findLedgerFile(ledger, file)?.contentHash !== contentHash;
}

/** Recovers if the rule allows it and attempts are left, otherwise halts. */
function respondToVerdict(detector: NexoraDetectorState, at: number): NexoraDetectorState {
  const verdict = listNexoraVerdicts(detector).find(isStuckVerdict);
  if (verdict === undefined) return detector.recoveries === 0 ? detector : { ...detector, recoveries: 0 };
  const { recoverableRules, recoveryAttempts } = detector.config;
  const mayRecover = recoverableRules.includes(verdict.rule) && detector.recoveries < recoveryAttempts;
  if (!mayRecover) return transitionIfPossible(detector, 'Halted', { at, cause: verdict.rule });
  const recovering = transitionIfPossible(detector, 'ErrorRecovery', { at, cause: verdict.rule });
  return { ...recovering, recoveries: detector.recoveries + 1 };
}

function transitionIfPossible(
  detector: NexoraDetectorState,
  to: NexoraState,
  { at, cause }: { readonly at: number; readonly cause: string },
): NexoraDetectorState {
  if (!listNexoraSuccessors(detector.machine.state).includes(to)) return detector;
  return { ...detector, machine: transitionMachine(detector.machine, { to, at, cause }) };
}

/** One ended call, as the rules see it. */
export type NexoraAction = {
  readonly seq: number;
  readonly tool: string;
  /** What the call is about: a file, otherwise a command, otherwise the tool itself. */
  readonly target: string;
  readonly file: string | null;
  readonly contentHash: string | null;
  readonly success: boolean;
};

export type NexoraError = {
  readonly seq: number;
  readonly target: string;
  readonly fingerprint: string;
  readonly text: string;
};

/** State of the nexora detector. Plain JSON, bounded, and a function of the records alone. */
export type NexoraDetectorState = {
  readonly kind: 'nexora';
  readonly config: NexoraConfig;
  readonly machine: TrackerMachine<NexoraState>;
  readonly actions: readonly NexoraAction[];
  readonly errors: readonly NexoraError[];
  /** Failures since the latest success. */
  readonly consecutiveErrors: number;
  /** Calls since the last reset. */
  readonly callsSinceReset: number;
  /**
   * `callsSinceReset` at the last progress: new file content, a test that started to pass, or a milestone; null for
   * none.
   */
  readonly progressAt: number | null;
  /** Whether the last progress check found no progress. */
  readonly stalled: boolean;
  /** Recoveries tried since the last progress. */
  readonly recoveries: number;
};

const targetCommandMax = 50;
const nexoraErrorTextMax = 200;

const emptyNexoraHistory = {
  actions: [],
  errors: [],
  consecutiveErrors: 0,
  callsSinceReset: 0,
  progressAt: null,
  stalled: false,
  recoveries: 0,
} as const;

export function createNexoraDetector(config: NexoraConfig, at: number): NexoraDetectorState {
  return {
    kind: 'nexora',
    config,
    machine: createTrackerMachine<NexoraState>('Idle', at),
    ...emptyNexoraHistory,
  };
}

/** Clears the history for a new phase; the machine state stays. */
function resetNexoraDetector(detector: NexoraDetectorState): NexoraDetectorState {
  return { ...detector, ...emptyNexoraHistory };
}

function recordNexoraCall(
  detector: NexoraDetectorState,
  { seq, call, outcome }: EndedCall,
): NexoraDetectorState {
  const { success, contentHash = null, error = '' } = outcome;
  const target = getCallTarget(call);
  const action = { seq, tool: call.tool, target, file: call.file ?? null, contentHash, success };
  const actions = appendRecent(detector.actions, action, detector.config.maxRecentActions);
  const callsSinceReset = detector.callsSinceReset + 1;
  if (success) return { ...detector, actions, callsSinceReset, consecutiveErrors: 0 };
  const failure = {
    seq,
    target,
    fingerprint: fingerprintMeaning(error),
    text: error.slice(0, nexoraErrorTextMax),
  };
  const errors = appendRecent(detector.errors, failure, detector.config.maxRecentErrors);
  return { ...detector, actions, errors, callsSinceReset, consecutiveErrors: detector.consecutiveErrors + 1 };
}

/** Empty strings count as missing, because callers pass them for values that do not apply. */
function getCallTarget({ file, command, tool }: TrackerCall): string {
  return file || command?.slice(0, targetCommandMax) || tool;
}

/** Returns the current verdicts, most severe first. A success or a new phase clears a verdict. */
export function listNexoraVerdicts(detector: NexoraDetectorState): readonly TrackerVerdict[] {
  if (!detector.config.enable) return [];
  return [detectSameError(detector), detectOscillation(detector), detectNoProgress(detector)].filter(
    (verdict) => verdict !== null,
  );
}

function detectSameError({ config, errors, consecutiveErrors }: NexoraDetectorState): TrackerVerdict | null {
  const { stuckThreshold } = config;
  const [first, ...others] = errors.slice(-stuckThreshold);
  if (first === undefined || consecutiveErrors < stuckThreshold) return null;
  const { target, fingerprint, text } = first;
  if (others.some((each) => each.target !== target || each.fingerprint !== fingerprint)) return null;
  const times = `${stuckThreshold} ${stuckThreshold === 1 ? 'time' : 'times in a row'}`;
  return {
    severity: 'stop',
    rule: 'same_error',
    loop: `same_error ${target} ${fingerprint}`,
    reason: `${target} gave the same error ${times}: ${text || 'it failed without a message'}`,
    advice: `Trying this again on ${target} will fail again. Look at it afresh, or do it with another tool.`,
    evidence: errors.slice(-stuckThreshold).map(({ seq }) => seq),
  };
}

function detectOscillation({ config, actions }: NexoraDetectorState): TrackerVerdict | null {
  const { oscillationWindow, readTools } = config;
  const last = actions.filter(({ tool }) => !readTools.includes(tool)).slice(-oscillationWindow);
  const [one, other] = [last[0]?.file, last[1]?.file];
  if (last.length < oscillationWindow || !one || !other || one === other) return null;
  if (last.some(({ file }, index) => file !== (index % 2 === 0 ? one : other))) return null;
  if (hasOnlyNewContent(last)) return null;
  const pair = [one, other].toSorted();
  return {
    severity: 'stop',
    rule: 'oscillation',
    // Sorted, so that each further oscillation has the same loop id.
    loop: `oscillation ${pair.join(' ')}`,
    reason: `oscillating between ${pair.join(' and ')} over the last ${oscillationWindow} changes`,
    advice: `You keep going back and forth between ${pair.join(' and ')}. Decide what both should hold, then change each once.`,
    evidence: last.map(({ seq }) => seq),
  };
}

/**
 * Alternating changes are not a loop if no file returned to earlier content. Failed changes are ignored, because they
 * changed nothing.
 */
function hasOnlyNewContent(actions: readonly NexoraAction[]): boolean {
  const changes = actions.filter(({ success }) => success);
  if (changes.length === 0 || changes.some(({ contentHash }) => contentHash === null)) return false;
  return new Set(changes.map(({ file, contentHash }) => `${file} ${contentHash}`)).size === changes.length;
}

function detectNoProgress(detector: NexoraDetectorState): TrackerVerdict | null {
  if (!detector.stalled) return null;
  const { noProgressWindow } = detector.config;
  return {
    severity: 'advise',
    rule: 'no_progress',
    loop: 'no_progress',
    reason: `no progress in the last ${noProgressWindow} actions`,
    advice: 'Nothing new has come of the latest actions. Say what is missing, and take another way to it.',
    evidence: detector.actions.slice(-noProgressWindow).map(({ seq }) => seq),
  };
}

/** Checks progress once every few calls; the verdict clears as soon as it no longer holds. */
function updateStalled(detector: NexoraDetectorState): NexoraDetectorState {
  const isDue = detector.callsSinceReset % detector.config.progressCheckInterval === 0;
  const stalled = (detector.stalled || isDue) && isLackingProgress(detector);
  return stalled === detector.stalled ? detector : { ...detector, stalled };
}

function isLackingProgress({ config, actions, callsSinceReset, progressAt }: NexoraDetectorState): boolean {
  const { noProgressWindow, readTools } = config;
  const last = actions.slice(-noProgressWindow);
  if (last.length < noProgressWindow) return false;
  if (progressAt !== null && progressAt > callsSinceReset - noProgressWindow) return false;
  const successes = last.filter(({ success }) => success);
  const changes = successes.filter(({ tool }) => !readTools.includes(tool));
  const targets = new Set(successes.map(({ target }) => target));
  const tools = new Set(successes.map(({ tool }) => tool));
  return changes.length < 2 && targets.size < 3 && tools.size < 2;
}

/** The states of an agent with its own loop, and their transitions. Halted is terminal. */
export type NexoraState =
  | 'Idle'
  | 'ProcessingPrompt'
  | 'StreamingResponse'
  | 'ExecutingTool'
  | 'AwaitingPermission'
  | 'ErrorRecovery'
  | 'ProgressCheck'
  | 'PhaseTransition'
  | 'Halted';

const nexoraTransitions: { readonly [State in NexoraState]: readonly NexoraState[] } = {
  Idle: ['ProcessingPrompt', 'PhaseTransition', 'Halted'],
  ProcessingPrompt: ['StreamingResponse', 'ErrorRecovery', 'Halted', 'ProcessingPrompt'],
  StreamingResponse: [
    'ExecutingTool',
    'AwaitingPermission',
    'ProgressCheck',
    'Idle',
    'ErrorRecovery',
    'Halted',
  ],
  ExecutingTool: ['StreamingResponse', 'ProgressCheck', 'ErrorRecovery', 'Halted'],
  AwaitingPermission: ['StreamingResponse', 'ExecutingTool', 'Idle', 'Halted'],
  ErrorRecovery: ['StreamingResponse', 'ExecutingTool', 'ProgressCheck', 'Idle', 'Halted'],
  PhaseTransition: ['ProcessingPrompt', 'ProgressCheck', 'PhaseTransition', 'Idle', 'Halted'],
  ProgressCheck: ['StreamingResponse', 'ExecutingTool', 'PhaseTransition', 'ErrorRecovery', 'Idle', 'Halted'],
  Halted: [],
};

export function listNexoraSuccessors(state: NexoraState): readonly NexoraState[] {
  return nexoraTransitions[state];
}

export function isNexoraState(name: string): name is NexoraState {
  return Object.hasOwn(nexoraTransitions, name);
}
