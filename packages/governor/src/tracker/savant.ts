import {
  createBooleanField,
  createNameListField,
  createChoiceField,
  createIntegerField,
  type ConfigField,
} from '../json/config-field.ts';
import { canonicalizeJson, fingerprintText } from '../observations/fingerprint.ts';
import { parseTrackerConfig } from '../json/config-field.ts';
import {
  transitionMachine,
  findSuccessor,
  tickMachine,
  createTrackerMachine,
  type TrackerMachine,
  appendRecent,
  computeStateDuration,
} from './tracker-machine.ts';
import {
  type RecordByType,
  acceptRecord,
  type RecordOutcome,
  type RecordReducers,
  type TrackerCall,
} from './tracker-record.ts';
import type { TrackerVerdict } from './tracker-verdict.ts';

export type SavantConfig = {
  /** Whether rules produce verdicts; events are recorded either way. */
  readonly enable: boolean;
  /** `force` ends the work on the first verdict; `advise-once-then-force` advises the model once before that. */
  readonly policy: 'force' | 'advise-once-then-force';
  /** Allows the transition from deciding back to analyzing. */
  readonly lenient: boolean;
  readonly searchTools: readonly string[];
  readonly finishTools: readonly string[];
  /** Read-only tools. */
  readonly readTools: readonly string[];
  /** How many consecutive calls of one tool count as a repetition. */
  readonly repeatedTool: number;
  /** Whether calls of one tool must also have the same arguments to count as a repetition. */
  readonly matchArguments: boolean;
  /** How many consecutive identical searches count as a repetition. */
  readonly repeatedQuery: number;
  /** Maximum number of ticks in one state. */
  readonly stepsInState: number;
  /** Maximum number of consecutive failed decisions. */
  readonly failedDecisions: number;
  /** Timeouts that override those of the chart. */
  readonly timeoutsMs: { readonly [State in SavantState]?: number };
  readonly progressCallbackInterval: number;
};

/** How many calls and queries are remembered; no rule may look back further. */
const savantRecentMax = 20;

export function parseSavantConfig(given: object): SavantConfig {
  return parseTrackerConfig<SavantConfig>(
    {
      enable: createBooleanField(true),
      policy: createChoiceField('force', ['force', 'advise-once-then-force']),
      lenient: createBooleanField(false),
      searchTools: createNameListField(['context.fts_search', 'context.memory_search']),
      finishTools: createNameListField(['finish']),
      readTools: createNameListField(['view', 'ls', 'grep', 'context.fts_search', 'context.memory_search']),
      repeatedTool: createIntegerField(3, 2, savantRecentMax),
      matchArguments: createBooleanField(false),
      repeatedQuery: createIntegerField(2, 2, savantRecentMax),
      stepsInState: createIntegerField(5, 1),
      failedDecisions: createIntegerField(3, 1),
      timeoutsMs: timeoutsField,
      progressCallbackInterval: createIntegerField(10, 1),
    },
    given,
  );
}

const timeoutsField: ConfigField<SavantConfig['timeoutsMs']> = {
  fallback: {},
  expects: 'milliseconds by the name of the state, such as { SEARCHING: 90000 }',
  accepts: (value): value is SavantConfig['timeoutsMs'] =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([state, ms]) => isSavantState(state) && typeof ms === 'number' && Number.isFinite(ms) && ms > 0,
    ),
};

type SavantTransition = { readonly to: SavantState; readonly at: number; readonly cause: string };

export const savantReducers: RecordReducers<SavantDetectorState> = {
  moved: transitionSavant,
  'call-made': (detector, record, { ledger }) => applySavantCall(detector, record, ledger.callsMade + 1),
  'call-ended': (detector, { at }, { ended }) =>
    acceptRecord(ended === null ? detector : recordDecision(detector, ended.outcome.success, at)),
  'decision-failed': (detector, { at }) =>
    acceptRecord(recordDecision({ ...detector, acts: detector.acts + 1 }, false, at)),
  'message-said': (detector, { at }) => acceptRecord(recordThought(detector, at)),
  ticked: (detector, { at }) => acceptRecord(tickSavant(detector, at)),
  'phase-started': (detector) => acceptRecord(resetSavantDetector(detector)),
  'phase-completed': (detector) => acceptRecord(resetSavantDetector(detector)),
  'test-ran': acceptRecord,
  'file-changed': acceptRecord,
  'milestone-reached': acceptRecord,
  'blocker-met': acceptRecord,
};

function transitionSavant(
  detector: SavantDetectorState,
  { to, at, cause }: RecordByType<'moved'>,
): RecordOutcome<SavantDetectorState> {
  const { state } = detector.machine;
  const next = listSavantSuccessors(state, detector.config);
  const successor = findSuccessor(state, to, { next, isState: isSavantState });
  return successor.ok
    ? { detector: enterSavantState(detector, { to: successor.to, at, cause }), error: null }
    : refuseSavantRecord(detector, successor.error);
}

function refuseSavantRecord(
  detector: SavantDetectorState,
  refusal: string,
): RecordOutcome<SavantDetectorState> {
  return { detector: { ...detector, refusal }, error: refusal };
}

/** A held verdict carries over into a stuck state and becomes the reason for finishing. */
function enterSavantState(
  detector: SavantDetectorState,
  { to, at, cause }: SavantTransition,
): SavantDetectorState {
  if (to !== 'FINISHING') {
    const pendingVerdict = isStuckState(to) ? detector.pendingVerdict : null;
    return {
      ...detector,
      machine: transitionMachine(detector.machine, { to, at, cause }),
      pendingVerdict,
      refusal: null,
    };
  }
  const verdict = listSavantVerdicts(detector, at)[0] ?? null;
  const reason = verdict === null ? 'finished' : 'stuck_detection';
  const machine = transitionMachine(detector.machine, { to, at, cause: verdict === null ? cause : reason });
  return { ...detector, machine, pendingVerdict: null, refusal: null, finish: { reason, verdict } };
}

/** The tool determines the state. Choosing a tool while analyzing is a decision, so DECIDING comes first. */
function applySavantCall(
  detector: SavantDetectorState,
  { call, at }: RecordByType<'call-made'>,
  seq: number,
): RecordOutcome<SavantDetectorState> {
  const { state } = detector.machine;
  const to = selectSavantState(detector, call.tool);
  const isDecision = state === 'ANALYZING' && to !== 'FINISHING';
  const before = isDecision
    ? enterSavantState(detector, { to: 'DECIDING', at, cause: 'decision' })
    : detector;
  const followed =
    before.machine.state === to
      ? before
      : transitionSavant(before, { type: 'moved', to, at, cause: call.tool }).detector;
  const known = { ...recordSavantCall(followed, seq, call), acts: detector.acts + 1 };
  if (followed.machine.state === to && state !== 'FINISHING') {
    return { detector: judgeSavantState({ ...known, refusal: null }, at, 'record'), error: null };
  }
  const next = listSavantSuccessors(state, detector.config);
  const refusal = `${call.tool} is not allowed while ${state}: ${next.length === 0 ? 'nothing follows it' : `go on to ${next.join(' or ')}`}`;
  return refuseSavantRecord(judgeSavantState(known, at, 'record'), refusal);
}

function selectSavantState({ config }: SavantDetectorState, tool: string): SavantState {
  if (config.finishTools.includes(tool)) return 'FINISHING';
  return config.searchTools.includes(tool) ? 'SEARCHING' : 'DECIDING';
}

function recordDecision(detector: SavantDetectorState, success: boolean, at: number): SavantDetectorState {
  if (success) return detector.failedDecisions === 0 ? detector : { ...detector, failedDecisions: 0 };
  if (detector.machine.state !== 'DECIDING') return detector;
  return judgeSavantState({ ...detector, failedDecisions: detector.failedDecisions + 1 }, at, 'record');
}

/** Text after a search is analysis of its results. */
function recordThought(detector: SavantDetectorState, at: number): SavantDetectorState {
  if (detector.machine.state !== 'SEARCHING') return detector;
  return enterSavantState(detector, { to: 'ANALYZING', at, cause: 'message' });
}

function tickSavant(before: SavantDetectorState, at: number): SavantDetectorState {
  const detector = { ...before, machine: tickMachine(before.machine) };
  const isOver = detector.pendingVerdict !== null || isStuckState(detector.machine.state);
  if (isOver) return enterSavantState(detector, { to: 'FINISHING', at, cause: 'stuck_detection' });
  return judgeSavantState(detector, at, 'tick');
}

/**
 * Stops the agent if a rule matches. If the policy allows advice first, it is given once: a verdict found after a call
 * reaches the model at the next tick, one found by a tick at once, and any verdict that holds after the model has
 * answered stops it.
 */
function judgeSavantState(
  detector: SavantDetectorState,
  at: number,
  when: 'record' | 'tick',
): SavantDetectorState {
  const { state, steps } = detector.machine;
  const [verdict] = listSavantVerdicts(detector, at);
  if (verdict === undefined || detector.pendingVerdict !== null || isStuckState(state)) return detector;
  if (detector.config.policy === 'force')
    return stopSavantAgent({ ...detector, pendingVerdict: verdict }, at);
  if (detector.advised === null) {
    return { ...detector, advised: { step: when === 'tick' ? steps : steps + 1, act: detector.acts } };
  }
  return hasAnswered(detector, detector.advised, when)
    ? stopSavantAgent({ ...detector, pendingVerdict: verdict }, at)
    : detector;
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
function stopSavantAgent(detector: SavantDetectorState, at: number): SavantDetectorState {
  const to = getStuckState(detector.machine.state);
  return to === null
    ? detector
    : enterSavantState(detector, { to, at, cause: detector.pendingVerdict?.rule ?? 'stuck_detection' });
}

export type RecentToolCall = { readonly seq: number; readonly tool: string; readonly args: string };
export type RecentQuery = { readonly seq: number; readonly query: string };

/** How the work ended. */
export type SavantFinish = {
  readonly reason: 'stuck_detection' | 'finished';
  readonly verdict: TrackerVerdict | null;
};

/** State of the savant detector. Plain JSON, bounded, and a function of the records alone. */
export type SavantDetectorState = {
  readonly kind: 'savant';
  readonly config: SavantConfig;
  readonly machine: TrackerMachine<SavantState>;
  readonly tools: readonly RecentToolCall[];
  readonly queries: readonly RecentQuery[];
  /** Total number of searches. */
  readonly searches: number;
  /** Failed decisions since the last success. */
  readonly failedDecisions: number;
  /** The verdict for which the agent is being stopped; the next tick ends the work. */
  readonly pendingVerdict: TrackerVerdict | null;
  /** Number of the model's actions so far: calls and unparsable replies. */
  readonly acts: number;
  /** The tick from which the model can see the advice, and the number of its actions by then. */
  readonly advised: { readonly step: number; readonly act: number } | null;
  /** The latest refused transition or call, as guidance for the model; null after one is accepted. */
  readonly refusal: string | null;
  readonly finish: SavantFinish | null;
};

const emptySavantHistory = { tools: [], queries: [], failedDecisions: 0 } as const;

export function createSavantDetector(config: SavantConfig, at: number): SavantDetectorState {
  return {
    kind: 'savant',
    config,
    machine: createTrackerMachine<SavantState>('INIT', at),
    ...emptySavantHistory,
    searches: 0,
    pendingVerdict: null,
    acts: 0,
    advised: null,
    refusal: null,
    finish: null,
  };
}

/** Clears the history for a new phase; the machine state stays. */
function resetSavantDetector(detector: SavantDetectorState): SavantDetectorState {
  return { ...detector, ...emptySavantHistory };
}

function recordSavantCall(
  detector: SavantDetectorState,
  seq: number,
  call: TrackerCall,
): SavantDetectorState {
  const { tool } = call;
  const args = fingerprintText(canonicalizeJson(call.args ?? null));
  const tools = appendRecent(detector.tools, { seq, tool, args }, savantRecentMax);
  if (!detector.config.searchTools.includes(tool)) return { ...detector, tools };
  const queries = appendRecent(detector.queries, { seq, query: getSearchQuery(call) }, savantRecentMax);
  return { ...detector, tools, queries, searches: detector.searches + 1 };
}

const savantQueryMax = 200;

/** Returns the search query, or an empty string if the call has none. A fingerprint distinguishes long queries. */
function getSearchQuery({ query, args }: TrackerCall): string {
  const text = (query ?? getQueryArgument(args) ?? '').trim();
  return text.length <= savantQueryMax
    ? text
    : `${text.slice(0, savantQueryMax)}… (${fingerprintText(text)})`;
}

function getQueryArgument(args: TrackerCall['args']): string | undefined {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null || !('query' in args)) return undefined;
  return typeof args.query === 'string' ? args.query : undefined;
}

type SavantMatch = { readonly loop: string; readonly reason: string; readonly evidence: readonly number[] };
type SavantRule = {
  readonly id: string;
  readonly findMatch: (detector: SavantDetectorState, at: number) => SavantMatch | null;
};

/** Repeated query comes first, because it is more specific than a repeated tool. */
const savantRules: readonly SavantRule[] = [
  { id: 'repeated_query', findMatch: matchRepeatedQuery },
  { id: 'repeated_tool', findMatch: matchRepeatedTool },
  { id: 'failed_decisions', findMatch: matchFailedDecisions },
  { id: 'steps_in_state', findMatch: matchStepsInState },
  { id: 'timeout', findMatch: matchTimeout },
];

/** Returns the current verdicts. In a stuck state it is the one that led there; while finishing there are none. */
export function listSavantVerdicts(detector: SavantDetectorState, at: number): readonly TrackerVerdict[] {
  const { state } = detector.machine;
  if (state === 'FINISHING') return [];
  if (detector.pendingVerdict !== null) return [detector.pendingVerdict];
  if (isStuckState(state)) return [createDeclaredVerdict(detector, at)];
  if (!detector.config.enable) return [];
  return savantRules.flatMap(({ id, findMatch }) => {
    const match = findMatch(detector, at);
    return match === null ? [] : [createSavantVerdict(detector, id, { match, at })];
  });
}

function createSavantVerdict(
  detector: SavantDetectorState,
  rule: string,
  { match, at }: { readonly match: SavantMatch; readonly at: number },
): TrackerVerdict {
  return { severity: 'stop', rule, ...match, advice: buildSavantAdvice(detector, rule, at) };
}

function createDeclaredVerdict(detector: SavantDetectorState, at: number): TrackerVerdict {
  const { state } = detector.machine;
  const match = { loop: state, reason: `the loop declared itself stuck: ${state}`, evidence: [] };
  return createSavantVerdict(detector, 'declared', { match, at });
}

/** Matches the newest call only, because an agent that has done something else since has left the loop. */
function matchRepeatedQuery({ config, tools, queries }: SavantDetectorState): SavantMatch | null {
  const last = queries.slice(-config.repeatedQuery);
  if (last.at(-1)?.seq !== tools.at(-1)?.seq) return null;
  const query = last[0]?.query ?? '';
  if (query === '' || last.length < config.repeatedQuery) return null;
  if (last.some((each) => each.query !== query)) return null;
  return {
    loop: `repeated_query ${query}`,
    reason: `"${query}" was searched for ${config.repeatedQuery} times in a row`,
    evidence: last.map(({ seq }) => seq),
  };
}

function matchRepeatedTool({ config, tools }: SavantDetectorState): SavantMatch | null {
  const last = tools.slice(-config.repeatedTool);
  const [first] = last;
  if (first === undefined || last.length < config.repeatedTool) return null;
  const isSame = ({ tool, args }: typeof first): boolean =>
    tool === first.tool && (!config.matchArguments || args === first.args);
  if (!last.every(isSame)) return null;
  return {
    loop: `repeated_tool ${first.tool}`,
    reason: `${first.tool} was called ${config.repeatedTool} times in a row`,
    evidence: last.map(({ seq }) => seq),
  };
}

function matchFailedDecisions({
  config,
  machine,
  failedDecisions: failed,
}: SavantDetectorState): SavantMatch | null {
  if (machine.state !== 'DECIDING' || failed < config.failedDecisions) return null;
  return { loop: 'failed_decisions', reason: `${failed} decisions in a row have failed`, evidence: [] };
}

function matchStepsInState({ config, machine }: SavantDetectorState): SavantMatch | null {
  const { state, stateSteps } = machine;
  if (stateSteps < config.stepsInState) return null;
  return { loop: `steps_in_state ${state}`, reason: `${state} has lasted ${stateSteps} steps`, evidence: [] };
}

function matchTimeout({ config, machine }: SavantDetectorState, at: number): SavantMatch | null {
  const limitMs = getSavantTimeout(machine.state, config);
  const tookMs = computeStateDuration(machine, at);
  if (limitMs === null || tookMs <= limitMs) return null;
  const reason = `${machine.state} has lasted ${tookMs}ms of at most ${limitMs}ms`;
  return { loop: `timeout ${machine.state}`, reason, evidence: [] };
}

/** Builds the advice for the model. A repeated query is quoted, whatever the state. */
function buildSavantAdvice(detector: SavantDetectorState, rule: string, at: number): string {
  if (rule === 'repeated_query') return adviseRepeatedQuery(detector);
  return adviseByState(detector.machine.state, detector, at);
}

function adviseRepeatedQuery({ queries, searches }: SavantDetectorState): string {
  const query = queries.at(-1)?.query ?? '';
  return `"${query}" is what you searched for last time too, and ${formatSearchCount(searches)} have been made. Finish now with what there is, or say that it cannot be found.`;
}

function adviseByState(state: SavantState, detector: SavantDetectorState, at: number): string {
  const { machine, searches } = detector;
  const stay = `${machine.stateSteps} steps and ${computeStateDuration(machine, at)}ms`;
  switch (state) {
    case 'SEARCHING':
    case 'STUCK_SEARCH':
      return `${formatSearchCount(searches)} so far, and one more will hardly help. Finish with what you have found by searching, or move on to the analysis of it.`;
    case 'ANALYZING':
    case 'STUCK_ANALYZE':
      return `The analysis has gone on for ${stay}. What you know has to do: finish, and sum it up.`;
    case 'DECIDING':
    case 'STUCK_DECIDE':
      return `The decision has gone on for ${stay}, with ${detector.failedDecisions} failed. Make one decision and stand by it, or finish.`;
    case 'INIT':
      return `Nothing has been begun in ${stay}. Finish with the best answer you have.`;
    case 'FINISHING':
      return 'Finish.';
    default:
      return state satisfies never;
  }
}

function formatSearchCount(searches: number): string {
  return `${searches} ${searches === 1 ? 'search' : 'searches'}`;
}

/**
 * The kind of step a searching agent takes. It searches, analyzes the results, decides and finishes; from a stuck state
 * it can only finish.
 */
export type SavantState =
  | 'INIT'
  | 'SEARCHING'
  | 'ANALYZING'
  | 'DECIDING'
  | 'STUCK_SEARCH'
  | 'STUCK_ANALYZE'
  | 'STUCK_DECIDE'
  | 'FINISHING';

/** One state of the search: the tools it allows, its successors and its limits. */
export type SavantStateDefinition = {
  readonly tools: 'search' | 'finish' | 'any' | 'none';
  readonly next: readonly SavantState[];
  readonly timeoutMs: number | null;
  readonly stuckState: SavantState | null;
};

const stuckStateDefinition = {
  tools: 'finish',
  next: ['FINISHING'],
  timeoutMs: 10_000,
  stuckState: null,
} as const;

/** The states in order. The lenient variant also allows the transition from deciding back to analyzing. */
export const savantStates: { readonly [Name in SavantState]: SavantStateDefinition } = {
  INIT: { tools: 'none', next: ['SEARCHING', 'DECIDING', 'FINISHING'], timeoutMs: null, stuckState: null },
  SEARCHING: {
    tools: 'search',
    next: ['ANALYZING', 'STUCK_SEARCH', 'FINISHING'],
    timeoutMs: 60_000,
    stuckState: 'STUCK_SEARCH',
  },
  ANALYZING: {
    tools: 'none',
    next: ['DECIDING', 'STUCK_ANALYZE', 'FINISHING'],
    timeoutMs: 30_000,
    stuckState: 'STUCK_ANALYZE',
  },
  DECIDING: {
    tools: 'any',
    next: ['SEARCHING', 'FINISHING', 'STUCK_DECIDE'],
    timeoutMs: 45_000,
    stuckState: 'STUCK_DECIDE',
  },
  STUCK_SEARCH: stuckStateDefinition,
  STUCK_ANALYZE: stuckStateDefinition,
  STUCK_DECIDE: stuckStateDefinition,
  FINISHING: { tools: 'none', next: [], timeoutMs: 5_000, stuckState: null },
};

export const savantTools = {
  search: ['context.fts_search', 'context.memory_search'],
  finish: ['finish'],
} as const;

export function listSavantSuccessors(
  state: SavantState,
  { lenient }: Pick<SavantConfig, 'lenient'>,
): readonly SavantState[] {
  const { next } = savantStates[state];
  return lenient && state === 'DECIDING' ? [...next, 'ANALYZING'] : next;
}

export function getSavantTimeout(state: SavantState, { timeoutsMs }: SavantConfig): number | null {
  return timeoutsMs[state] ?? savantStates[state].timeoutMs;
}

/** Returns the tools a state allows; `*` is any. */
export function listSavantActions(state: SavantState, config: SavantConfig): readonly string[] {
  switch (savantStates[state].tools) {
    case 'search':
      return config.searchTools;
    case 'finish':
      return config.finishTools;
    case 'any':
      return ['*', ...config.finishTools];
    case 'none':
      return [];
  }
}

function getStuckState(state: SavantState): SavantState | null {
  return savantStates[state].stuckState;
}

function isStuckState(state: SavantState): boolean {
  return Object.values(savantStates).some(({ stuckState }) => stuckState === state);
}

export function isSavantState(name: string): name is SavantState {
  return Object.hasOwn(savantStates, name);
}
