import type { CallObservation } from '../observations/call-observation.ts';
import type { RuleSeverity, Rule, RuleMatch } from '../rules/rule.ts';
import { hasEarlierMatch, isNewOutcome, isSameObservation } from '../rules/window-queries.ts';
import type {
  GovernorObservation,
  ObservationKind,
  ObservationByKind,
  WaitObservation,
} from '../observations/observation.ts';

/** How many observations of each kind the detector keeps; three laps of a cycle of sixteen calls fit. */
const windowSizes: Record<ObservationKind, number> = {
  call: 48,
  wait: 4,
  text: 8,
  decision: 16,
  paging: 8,
  'repetition-loop': 8,
  mode: 8,
};

/** How many reported loops the detector remembers. */
const reportedLoopsMax = 32;

/** The latest observations of each kind, newest last. */
export type ObservationWindows = { readonly [Kind in ObservationKind]: readonly ObservationByKind<Kind>[] };

/** Detector state of a session: bounded, plain JSON, and a function of the observations alone. */
export type DetectorState = {
  readonly windows: ObservationWindows;
  /** Loops that were reported, and with which severity. */
  readonly reportedLoops: readonly ReportedLoop[];
};

type ReportedLoop = { readonly rule: string; readonly loop: string; readonly severity: RuleSeverity };

/** A rule match with its severity. */
export type GradedMatch = RuleMatch & {
  readonly rule: string;
  readonly severity: RuleSeverity;
  /** Calls since the loop began that produced a new outcome and so speak against the match. */
  readonly counterEvidence: readonly { readonly seq: number }[];
};

const emptyWindows: ObservationWindows = {
  call: [],
  wait: [],
  text: [],
  decision: [],
  paging: [],
  'repetition-loop': [],
  mode: [],
};

export const initialDetectorState: DetectorState = { windows: emptyWindows, reportedLoops: [] };

/** Adds an observation and returns the most severe match that has not been reported yet, or null. */
export function runDetector(
  before: DetectorState,
  observation: GovernorObservation,
  rules: readonly Rule[],
): { readonly state: DetectorState; readonly match: GradedMatch | null } {
  const windows = addToWindow(before.windows, observation);
  let mostSevere: (RuleMatch & { readonly rule: string; readonly severity: RuleSeverity }) | null = null;
  const isKnownOutcome = observation.kind === 'call' && hasKnownOutcome(windows.call);
  for (const rule of rules) {
    if ((rule.on ?? 'call') !== observation.kind) continue;
    if (!isKnownOutcome && needsKnownOutcome(rule)) continue;
    const match = gradeRuleMatch(rule, windows);
    if (match === null || wasReported(before.reportedLoops, match)) continue;
    if (mostSevere === null || severityRanks[match.severity] > severityRanks[mostSevere.severity])
      mostSevere = match;
  }
  if (mostSevere === null) return { state: { windows, reportedLoops: before.reportedLoops }, match: null };
  const { rule, loop, severity } = mostSevere;
  const reportedLoops = [...before.reportedLoops.slice(-(reportedLoopsMax - 1)), { rule, loop, severity }];
  const match = { ...mostSevere, counterEvidence: findCounterEvidence(windows.call, mostSevere.evidence) };
  return { state: { windows, reportedLoops }, match };
}

/** A user message resets the detector: earlier observations no longer count. */
export function resetDetector(before: DetectorState): DetectorState {
  return before.windows === emptyWindows
    ? before
    : { windows: emptyWindows, reportedLoops: before.reportedLoops };
}

/** A user message that only asks to continue resets the detector except for the observed calls. */
export function resetReplyWindows(before: DetectorState): DetectorState {
  const { call, wait } = before.windows;
  return { ...before, windows: { ...emptyWindows, call, wait } };
}

/** How far each rule is from its next threshold, for display. */
export type RuleDistance = {
  readonly rule: string;
  readonly count: number;
  /** The next severity that has not been reached, and its threshold. */
  readonly next: { readonly severity: RuleSeverity; readonly at: number } | null;
};

export function computeRuleDistances(
  { windows }: DetectorState,
  rules: readonly Rule[],
): readonly RuleDistance[] {
  return rules.map((rule) => {
    const count = matchRule(rule, windows)?.count ?? 0;
    const nextThresholds = severityOrder.flatMap((severity) => {
      const at = rule.thresholds[severity] ?? null;
      return at === null || count >= at ? [] : [{ severity, at }];
    });
    return { rule: rule.id, count, next: nextThresholds[0] ?? null };
  });
}

const severityRanks: Record<RuleSeverity, number> = { advise: 1, block: 2, ask: 3, stop: 4 };

const severityOrder: readonly RuleSeverity[] = ['advise', 'block', 'ask', 'stop'];

/**
 * Any call that does not wait clears the text, decision and repetition windows; one with a new outcome also clears the
 * wait and paging windows, because it shows that the agent makes progress.
 */
function addToWindow(before: ObservationWindows, observation: GovernorObservation): ObservationWindows {
  const { kind } = observation;
  if (kind === 'wait') return { ...before, wait: extendWait(before.wait, observation) };
  const window = [...before[kind].slice(-(windowSizes[kind] - 1)), observation];
  if (kind !== 'call') return { ...before, [kind]: window };
  const call = window as readonly CallObservation[];
  const { mode } = before;
  return isNewOutcome(call, call.length - 1)
    ? { ...emptyWindows, call, mode }
    : {
        ...before,
        call,
        text: emptyWindows.text,
        decision: emptyWindows.decision,
        'repetition-loop': emptyWindows['repetition-loop'],
      };
}

function extendWait(waits: readonly WaitObservation[], last: CallObservation): readonly WaitObservation[] {
  const wait = waits.at(-1);
  return wait !== undefined && isSameObservation(wait.last, last)
    ? [...waits.slice(0, -1), { ...wait, last, polls: wait.polls + 1 }]
    : [...waits.slice(-(windowSizes.wait - 1)), { first: last, last, polls: 1 }];
}

/** A threshold of 1 is reached by any call. */
function needsKnownOutcome(rule: Rule): boolean {
  if (rule.on === undefined || rule.on === 'call') {
    const { advise, block, ask = null, stop } = rule.thresholds;
    return rule.isOnKnownOutcomes === true && advise !== 1 && block !== 1 && ask !== 1 && stop !== 1;
  }
  return false;
}

/** Whether an earlier call in the window has the outcome of the latest one. */
function hasKnownOutcome(calls: readonly CallObservation[]): boolean {
  const last = calls.at(-1);
  return (
    last !== undefined && hasEarlierMatch(calls, calls.length - 1, ({ outcome }) => outcome === last.outcome)
  );
}

function matchRule(rule: Rule, windows: ObservationWindows): RuleMatch | null {
  switch (rule.on) {
    case undefined:
    case 'call':
      return rule.match(windows.call);
    case 'wait':
      return rule.match(windows.wait);
    case 'text':
      return rule.match(windows.text);
    case 'decision':
      return rule.match(windows.decision);
    case 'paging':
      return rule.match(windows.paging);
    case 'repetition-loop':
      return rule.match(windows['repetition-loop']);
    case 'mode':
      return rule.match(windows.mode);
    default:
      return rule satisfies never;
  }
}

function gradeRuleMatch(
  rule: Rule,
  windows: ObservationWindows,
): (RuleMatch & { readonly rule: string; readonly severity: RuleSeverity }) | null {
  const match = matchRule(rule, windows);
  if (match === null) return null;
  const { advise, block, ask = null, stop } = rule.thresholds;
  const { count } = match;
  let severity: RuleSeverity | null = null;
  if (stop !== null && count >= stop) severity = 'stop';
  else if (ask !== null && count >= ask) severity = 'ask';
  else if (block !== null && count >= block) severity = 'block';
  else if (advise !== null && count >= advise) severity = 'advise';
  return severity === null ? null : { ...match, rule: rule.id, severity };
}

function findCounterEvidence(
  calls: readonly CallObservation[],
  evidence: RuleMatch['evidence'],
): GradedMatch['counterEvidence'] {
  const since = evidence[0]?.seq ?? Infinity;
  const isEvidence = new Set(evidence.map(({ seq }) => seq));
  return calls.filter(({ seq }, index) => seq > since && !isEvidence.has(seq) && isNewOutcome(calls, index));
}

function wasReported(
  reportedLoops: readonly ReportedLoop[],
  { rule, loop, severity }: { readonly rule: string; readonly loop: string; readonly severity: RuleSeverity },
): boolean {
  return reportedLoops.some(
    (each) =>
      each.rule === rule && each.loop === loop && severityRanks[each.severity] >= severityRanks[severity],
  );
}
