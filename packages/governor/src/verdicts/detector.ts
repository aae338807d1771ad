import type { CallObservation } from '../observations/call-observation.ts';
import type { RuleSeverity, Rule, RuleMatch } from '../rules/rule.ts';
import { isNewOutcome, isSameObservation } from '../rules/window-queries.ts';
import type {
  GovernorObservation,
  ObservationKind,
  ObservationByKind,
  WaitObservation,
} from '../observations/observation.ts';

/** How many observations of each kind the detector keeps; three laps of a cycle of sixteen calls fit. */
const windowSizes: Record<ObservationKind, number> = {
  work: 48,
  waiting: 4,
  talk: 8,
  decision: 16,
  paging: 8,
  chant: 8,
  mode: 8,
};

/** How many reported loops the detector remembers. */
const reportedLoopsMax = 32;

/** The latest observations of each kind, newest last. */
export type ObservationWindows = { readonly [Kind in ObservationKind]: readonly ObservationByKind<Kind>[] };

/** Detector state of a session: bounded, plain JSON, and a function of the observations alone. */
export type DetectorState = {
  readonly seen: ObservationWindows;
  /** Loops that were reported, and with which severity. */
  readonly spoken: readonly ReportedLoop[];
};

type ReportedLoop = { readonly rule: string; readonly loop: string; readonly level: RuleSeverity };

/** A rule match with its severity. */
export type GradedMatch = RuleMatch & {
  readonly rule: string;
  readonly level: RuleSeverity;
  /** Calls since the loop began that produced a new outcome and so speak against the match. */
  readonly counterEvidence: readonly { readonly seq: number }[];
};

const emptyWindows: ObservationWindows = {
  work: [],
  waiting: [],
  talk: [],
  decision: [],
  paging: [],
  chant: [],
  mode: [],
};

export const initialDetectorState: DetectorState = { seen: emptyWindows, spoken: [] };

/** Adds an observation and returns the most severe match that has not been reported yet, or null. */
export function runDetector(
  before: DetectorState,
  observation: GovernorObservation,
  rules: readonly Rule[],
): { readonly state: DetectorState; readonly match: GradedMatch | null } {
  const seen = addToWindow(before.seen, observation);
  let mostSevere: (RuleMatch & { readonly rule: string; readonly level: RuleSeverity }) | null = null;
  for (const rule of rules) {
    if ((rule.on ?? 'work') !== observation.kind) continue;
    const match = gradeRuleMatch(rule, seen);
    if (match === null || wasReported(before.spoken, match)) continue;
    if (mostSevere === null || severityRanks[match.level] > severityRanks[mostSevere.level])
      mostSevere = match;
  }
  if (mostSevere === null) return { state: { seen, spoken: before.spoken }, match: null };
  const { rule, loop, level } = mostSevere;
  const spoken = [...before.spoken.slice(-(reportedLoopsMax - 1)), { rule, loop, level }];
  const match = { ...mostSevere, counterEvidence: findCounterEvidence(seen.work, mostSevere.evidence) };
  return { state: { seen, spoken }, match };
}

/** A user message resets the detector: earlier observations no longer count. */
export function resetDetector(before: DetectorState): DetectorState {
  return before.seen === emptyWindows ? before : { seen: emptyWindows, spoken: before.spoken };
}

/** How far each rule is from its next threshold, for display. */
export type RuleDistance = {
  readonly rule: string;
  readonly count: number;
  /** The next severity that has not been reached, and its threshold. */
  readonly next: { readonly level: RuleSeverity; readonly at: number } | null;
};

export function computeRuleDistances(
  { seen }: DetectorState,
  rules: readonly Rule[],
): readonly RuleDistance[] {
  return rules.map((rule) => {
    const count = matchRule(rule, seen)?.count ?? 0;
    const ahead = severityOrder.flatMap((level) => {
      const at = rule.thresholds[level] ?? null;
      return at === null || count >= at ? [] : [{ level, at }];
    });
    return { rule: rule.id, count, next: ahead[0] ?? null };
  });
}

const severityRanks: Record<RuleSeverity, number> = { advise: 1, refuse: 2, ask: 3, finish: 4 };

const severityOrder: readonly RuleSeverity[] = ['advise', 'refuse', 'ask', 'finish'];

/**
 * Any work call clears the text, decision and repetition windows; one with a new outcome also clears the waiting and
 * paging windows, because it shows that the agent makes progress.
 */
function addToWindow(before: ObservationWindows, observation: GovernorObservation): ObservationWindows {
  const { kind } = observation;
  if (kind === 'waiting') return { ...before, waiting: extendWait(before.waiting, observation) };
  const window = [...before[kind].slice(-(windowSizes[kind] - 1)), observation];
  if (kind !== 'work') return { ...before, [kind]: window };
  const work = window as readonly CallObservation[];
  const { mode } = before;
  return isNewOutcome(work, work.length - 1)
    ? { ...emptyWindows, work, mode }
    : {
        ...before,
        work,
        talk: emptyWindows.talk,
        decision: emptyWindows.decision,
        chant: emptyWindows.chant,
      };
}

function extendWait(waits: readonly WaitObservation[], last: CallObservation): readonly WaitObservation[] {
  const wait = waits.at(-1);
  return wait !== undefined && isSameObservation(wait.last, last)
    ? [...waits.slice(0, -1), { ...wait, last, looks: wait.looks + 1 }]
    : [...waits.slice(-(windowSizes.waiting - 1)), { first: last, last, looks: 1 }];
}

function matchRule(rule: Rule, seen: ObservationWindows): RuleMatch | null {
  switch (rule.on) {
    case undefined:
    case 'work':
      return rule.match(seen.work);
    case 'waiting':
      return rule.match(seen.waiting);
    case 'talk':
      return rule.match(seen.talk);
    case 'decision':
      return rule.match(seen.decision);
    case 'paging':
      return rule.match(seen.paging);
    case 'chant':
      return rule.match(seen.chant);
    case 'mode':
      return rule.match(seen.mode);
    default:
      return rule satisfies never;
  }
}

function gradeRuleMatch(
  rule: Rule,
  seen: ObservationWindows,
): (RuleMatch & { readonly rule: string; readonly level: RuleSeverity }) | null {
  const sight = matchRule(rule, seen);
  if (sight === null) return null;
  const level = severityOrder.findLast((each) => sight.count >= (rule.thresholds[each] ?? Infinity));
  return level === undefined ? null : { ...sight, rule: rule.id, level };
}

function findCounterEvidence(
  work: readonly CallObservation[],
  evidence: RuleMatch['evidence'],
): GradedMatch['counterEvidence'] {
  const since = evidence[0]?.seq ?? Infinity;
  const isEvidence = new Set(evidence.map(({ seq }) => seq));
  return work.filter(({ seq }, index) => seq > since && !isEvidence.has(seq) && isNewOutcome(work, index));
}

function wasReported(
  spoken: readonly ReportedLoop[],
  { rule, loop, level }: { readonly rule: string; readonly loop: string; readonly level: RuleSeverity },
): boolean {
  return spoken.some(
    (each) => each.rule === rule && each.loop === loop && severityRanks[each.level] >= severityRanks[level],
  );
}
