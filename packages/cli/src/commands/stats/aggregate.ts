import type { TurnStatus } from '@pawl/core';
import { computeTransitionStats, type TransitionStats } from '@pawl/core/modes';
import type { CallStats, RuleLoop, SessionStats } from './session.ts';
import type { SessionVerdictFeedback } from '../../sessions/verdict-feedback.ts';
import { formatDateTime } from '../../output/format-time.ts';

/** Statistics over many sessions. */
export type AggregateStats = {
  readonly sessions: {
    readonly counted: number;
    /** Unreadable sessions. */
    readonly damaged: number;
    readonly byState: readonly NamedCount<TurnStatus>[];
    readonly byEnding: readonly NamedCount<SessionStats['how']>[];
  };
  readonly efficiency: StepEfficiency;
  /** How often one mode followed another, and how the sessions with that transition ended. */
  readonly transitions: readonly TransitionStats[];
  readonly timeByState: readonly StateTime[];
  readonly loops: readonly RuleLoops[];
  readonly saved: SavedWork;
  readonly byProfile: readonly GroupStats[];
  readonly byModel: readonly GroupStats[];
  readonly byTool: readonly ToolStats[];
  readonly accuracy: readonly RuleAccuracy[];
  readonly byDay: readonly DayStats[];
  /** The loops that used the most tokens, each with its session. */
  readonly worstLoops: readonly WorstLoop[];
};

export type NamedCount<Name extends string> = { readonly name: Name; readonly count: number };

/** `share` is null without steps. */
export type StepEfficiency = {
  readonly steps: number;
  readonly effective: number;
  readonly share: number | null;
};

export type StateTime = {
  readonly machine: 'turn' | 'mode';
  readonly state: string;
  readonly stays: number;
  readonly totalMs: number;
  readonly medianMs: number;
};

export type RuleLoops = {
  readonly rule: string;
  readonly verdicts: number;
  /** Number of verdicts that ended the turn. */
  readonly ended: number;
  readonly loops: number;
  readonly steps: number;
  readonly tokens: number;
};

/**
 * The tokens a stopped session would have used are unknown, so `tokens` is null. Known are the number of stopped turns,
 * the refused calls, and the tokens per step inside a loop.
 */
export type SavedWork = {
  readonly tokens: null;
  readonly stoppedTurns: number;
  readonly refusedCalls: number;
  readonly tokensPerLoopStep: number | null;
};

export type GroupStats = StepEfficiency & {
  readonly name: string;
  readonly sessions: number;
  readonly answered: number;
  readonly stuck: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
};

export type ToolStats = {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** Calls with the same result as an earlier call. */
  readonly repeated: number;
  readonly totalMs: number;
  readonly medianMs: number;
};

export type WorstLoop = RuleLoop & { readonly session: string; readonly goal: string | null };

/** `share` is the fraction of verdicts with feedback that were right; null without feedback. */
export type RuleAccuracy = {
  readonly rule: string;
  readonly verdicts: number;
  readonly right: number;
  readonly wrong: number;
  readonly share: number | null;
};

export function aggregateStats(
  all: readonly SessionStats[],
  { damaged, marks }: { readonly damaged: number; readonly marks: readonly SessionVerdictFeedback[] },
): AggregateStats {
  return {
    sessions: {
      counted: all.length,
      damaged,
      byState: countNames(all.map(({ status }) => status)),
      byEnding: countNames(all.map(({ how }) => how)),
    },
    efficiency: computeEfficiency(all),
    transitions: computeTransitionStats(
      all.map(({ moves, how }) => ({ moves, endedWell: how === 'answered' })),
    ),
    timeByState: computeStateTimes(all),
    loops: aggregateRuleLoops(all),
    saved: computeSavedWork(all),
    byProfile: groupStats(all, ({ profile }) => profile),
    byModel: groupStats(all, ({ model }) => model ?? 'unknown'),
    byTool: computeToolStats(all.flatMap(({ calls }) => calls)),
    accuracy: computeRuleAccuracy(all, marks),
    byDay: computeDailyStats(all, marks),
    worstLoops: findWorstLoops(all),
  };
}

function countNames<Name extends string>(names: readonly Name[]): readonly NamedCount<Name>[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, { length }]) => ({ name, count: length }))
    .toSorted((a, b) => b.count - a.count || compareText(a.name, b.name));
}

function computeEfficiency(all: readonly SessionStats[]): StepEfficiency {
  const steps = sumValues(all, (each) => each.steps);
  const effective = sumValues(all, (each) => each.effective);
  return { steps, effective, share: computeRatio(effective, steps) };
}

function computeStateTimes(all: readonly SessionStats[]): readonly StateTime[] {
  const stays = all.flatMap((each) => each.stays);
  return [...Map.groupBy(stays, ({ machine, state }) => JSON.stringify([machine, state])).values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { machine, state } = first;
      const totalMs = sumValues(group, ({ ms }) => ms);
      return [
        {
          machine,
          state,
          stays: group.length,
          totalMs,
          medianMs: computeUpperMedian(group.map(({ ms }) => ms)),
        },
      ];
    })
    .filter(({ totalMs }) => totalMs > 0)
    .toSorted(
      (a, b) => compareText(b.machine, a.machine) || b.totalMs - a.totalMs || compareText(a.state, b.state),
    );
}

function aggregateRuleLoops(all: readonly SessionStats[]): readonly RuleLoops[] {
  const loops = Map.groupBy(
    all.flatMap((each) => each.loops),
    ({ rule }) => rule,
  );
  return [
    ...Map.groupBy(
      all.flatMap(({ verdicts }) => verdicts),
      ({ rule }) => rule,
    ),
  ]
    .map(([rule, verdicts]) => {
      const ruleLoops = loops.get(rule) ?? [];
      return {
        rule,
        verdicts: verdicts.length,
        ended: verdicts.filter(({ ended }) => ended).length,
        loops: ruleLoops.length,
        steps: sumValues(ruleLoops, ({ steps }) => steps),
        tokens: sumValues(ruleLoops, ({ tokens }) => tokens),
      };
    })
    .toSorted((a, b) => b.tokens - a.tokens || b.steps - a.steps || compareText(a.rule, b.rule));
}

function findWorstLoops(all: readonly SessionStats[]): readonly WorstLoop[] {
  return all
    .flatMap(({ id, goal, loops }) => loops.map((loop) => ({ session: id, goal, ...loop })))
    .toSorted((a, b) => b.tokens - a.tokens || b.steps - a.steps || compareText(a.session, b.session))
    .slice(0, maxWorstLoops);
}

const maxWorstLoops = 20;

function computeSavedWork(all: readonly SessionStats[]): SavedWork {
  const loops = all.flatMap((each) => each.loops);
  const steps = sumValues(loops, (loop) => loop.steps);
  const tokens = sumValues(loops, (loop) => loop.tokens);
  return {
    tokens: null,
    stoppedTurns: sumValues(all, ({ verdicts }) => verdicts.filter(({ ended }) => ended).length),
    refusedCalls: sumValues(all, ({ refusedCalls }) => refusedCalls),
    tokensPerLoopStep: computeRatio(tokens, steps),
  };
}

function groupStats(
  all: readonly SessionStats[],
  getName: (session: SessionStats) => string,
): readonly GroupStats[] {
  return [...Map.groupBy(all, getName)]
    .map(([name, group]) => ({
      name,
      sessions: group.length,
      answered: group.filter(({ how }) => how === 'answered').length,
      stuck: group.filter(({ how }) => how === 'stuck').length,
      ...computeEfficiency(group),
      toolCalls: sumValues(group, ({ toolCalls }) => toolCalls),
      inputTokens: sumValues(group, ({ inputTokens }) => inputTokens),
      outputTokens: sumValues(group, ({ outputTokens }) => outputTokens),
      cost: group.every(({ cost }) => cost === null) ? null : sumValues(group, ({ cost }) => cost ?? 0),
    }))
    .toSorted((a, b) => b.sessions - a.sessions || compareText(a.name, b.name));
}

function computeToolStats(calls: readonly CallStats[]): readonly ToolStats[] {
  return [...Map.groupBy(calls, ({ tool }) => tool)]
    .map(([tool, group]) => {
      const times = group.flatMap(({ ms }) => (ms === null ? [] : [Math.max(0, ms)]));
      return {
        tool,
        calls: group.length,
        failed: group.filter(({ ok }) => !ok).length,
        repeated: group.filter(({ ok, news }) => ok && !news).length,
        totalMs: sumValues(times, (ms) => ms),
        medianMs: computeUpperMedian(times),
      };
    })
    .toSorted((a, b) => b.calls - a.calls || compareText(a.tool, b.tool));
}

/** Feedback on a rule counts even if its session has been removed. */
function computeRuleAccuracy(
  all: readonly SessionStats[],
  marks: readonly SessionVerdictFeedback[],
): readonly RuleAccuracy[] {
  const verdictsByRule = Map.groupBy(
    all.flatMap(({ verdicts }) => verdicts),
    ({ rule }) => rule,
  );
  const feedbackByRule = Map.groupBy(marks, ({ rule }) => rule);
  return [...new Set([...verdictsByRule.keys(), ...feedbackByRule.keys()])]
    .map((rule) => {
      const feedback = feedbackByRule.get(rule) ?? [];
      const right = feedback.filter(({ mark }) => mark === 'right').length;
      const wrong = feedback.length - right;
      const verdicts = Math.max(verdictsByRule.get(rule)?.length ?? 0, feedback.length);
      return { rule, verdicts, right, wrong, share: computeRatio(right, feedback.length) };
    })
    .toSorted((a, b) => b.right + b.wrong - a.right - a.wrong || compareText(a.rule, b.rule));
}

function sumValues<Item>(list: readonly Item[], getNumber: (item: Item) => number): number {
  return list.reduce((total, item) => total + getNumber(item), 0);
}

function computeRatio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function computeUpperMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The sessions started on a day, and the feedback given on it. */
export type DayStats = {
  /** In the local time zone, for example 2026-03-01. */
  readonly day: string;
  readonly sessions: number;
  readonly answered: number;
  readonly stuck: number;
  readonly steps: number;
  readonly effective: number;
  readonly tokens: number;
  /** Tokens spent in loops, from the first repetition on. */
  readonly loopTokens: number;
  readonly right: number;
  readonly wrong: number;
};

/** Lists every day with activity, in chronological order. */
function computeDailyStats(
  all: readonly SessionStats[],
  marks: readonly Pick<SessionVerdictFeedback, 'at' | 'mark'>[],
): readonly DayStats[] {
  const sessions = Map.groupBy(all, ({ createdAt }) => toDay(createdAt));
  const feedbackByDay = Map.groupBy(marks, ({ at }) => toDay(at));
  return [...new Set([...sessions.keys(), ...feedbackByDay.keys()])]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((day) => computeDayStats(day, sessions.get(day) ?? [], feedbackByDay.get(day) ?? []));
}

function toDay(at: number): string {
  return formatDateTime(at).split(' ', 1)[0] ?? '';
}

function computeDayStats(
  day: string,
  sessions: readonly SessionStats[],
  marks: readonly Pick<SessionVerdictFeedback, 'mark'>[],
): DayStats {
  const sum = (getNumber: (session: SessionStats) => number): number =>
    sessions.reduce((total, session) => total + getNumber(session), 0);
  return {
    day,
    sessions: sessions.length,
    answered: sessions.filter(({ how }) => how === 'answered').length,
    stuck: sessions.filter(({ how }) => how === 'stuck').length,
    steps: sum(({ steps }) => steps),
    effective: sum(({ effective }) => effective),
    tokens: sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    loopTokens: sum(({ loops }) => loops.reduce((total, { tokens }) => total + tokens, 0)),
    right: marks.filter(({ mark }) => mark === 'right').length,
    wrong: marks.filter(({ mark }) => mark === 'wrong').length,
  };
}
