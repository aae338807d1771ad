import { transitionStats, type TransitionStats, type TurnStatus } from '@pawl/core';
import { daysOf, type DayStats } from './stats-days.ts';
import type { CallStats, Loop, SessionStats } from './stats-session.ts';
import type { VerdictMark } from './verdict-marks.ts';

/** What many sessions have in common. */
export type Stats = {
  readonly sessions: {
    readonly counted: number;
    /** Those that cannot be read. */
    readonly damaged: number;
    readonly byState: readonly Share<TurnStatus>[];
    readonly byEnding: readonly Share<SessionStats['how']>[];
  };
  readonly efficiency: Efficiency;
  /** How often one mode followed another, and how well the sessions with that move ended. */
  readonly transitions: readonly TransitionStats[];
  readonly timeByState: readonly StateTime[];
  readonly loops: readonly RuleLoops[];
  readonly saved: Saved;
  readonly byProfile: readonly GroupStats[];
  readonly byModel: readonly GroupStats[];
  readonly byTool: readonly ToolStats[];
  readonly accuracy: readonly RuleAccuracy[];
  readonly byDay: readonly DayStats[];
  /** The loops that took the most tokens, each with the session it was in. */
  readonly worstLoops: readonly WorstLoop[];
};

export type Share<Name extends string> = { readonly name: Name; readonly count: number };

/** `share` is null where there was no step. */
export type Efficiency = {
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
  /** How many of the verdicts ended the turn. */
  readonly ended: number;
  readonly loops: number;
  readonly steps: number;
  readonly tokens: number;
};

/**
 * What a session would have done had it not been stopped, nobody knows. What is known is how often it was, how many calls
 * were not run, and what a step in a loop cost while it lasted.
 */
export type Saved = {
  readonly tokens: null;
  readonly stoppedTurns: number;
  readonly refusedCalls: number;
  readonly tokensPerLoopStep: number | null;
};

export type GroupStats = Efficiency & {
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
  /** Calls that came to what a call before had come to already. */
  readonly repeated: number;
  readonly totalMs: number;
  readonly medianMs: number;
};

export type WorstLoop = Loop & { readonly session: string; readonly goal: string | null };

/** `share` is how many of the marked verdicts were right; null where none is marked. */
export type RuleAccuracy = {
  readonly rule: string;
  readonly verdicts: number;
  readonly right: number;
  readonly wrong: number;
  readonly share: number | null;
};

export function sumOf(
  all: readonly SessionStats[],
  { damaged, marks }: { readonly damaged: number; readonly marks: readonly VerdictMark[] },
): Stats {
  return {
    sessions: {
      counted: all.length,
      damaged,
      byState: shares(all.map(({ status }) => status)),
      byEnding: shares(all.map(({ how }) => how)),
    },
    efficiency: efficiencyOf(all),
    transitions: transitionStats(all.map(({ moves, how }) => ({ moves, endedWell: how === 'answered' }))),
    timeByState: timesOf(all),
    loops: loopsOf(all),
    saved: savedOf(all),
    byProfile: groups(all, ({ profile }) => profile),
    byModel: groups(all, ({ model }) => model ?? 'unknown'),
    byTool: toolsOf(all.flatMap(({ calls }) => calls)),
    accuracy: accuracyOf(all, marks),
    byDay: daysOf(all, marks),
    worstLoops: worstLoops(all),
  };
}

function shares<Name extends string>(names: readonly Name[]): readonly Share<Name>[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, { length }]) => ({ name, count: length }))
    .toSorted((a, b) => b.count - a.count || order(a.name, b.name));
}

function efficiencyOf(all: readonly SessionStats[]): Efficiency {
  const steps = sum(all, (each) => each.steps);
  const effective = sum(all, (each) => each.effective);
  return { steps, effective, share: shareOf(effective, steps) };
}

function timesOf(all: readonly SessionStats[]): readonly StateTime[] {
  const stays = all.flatMap((each) => each.stays);
  return [...Map.groupBy(stays, ({ machine, state }) => JSON.stringify([machine, state])).values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { machine, state } = first;
      const totalMs = sum(group, ({ ms }) => ms);
      return [{ machine, state, stays: group.length, totalMs, medianMs: median(group.map(({ ms }) => ms)) }];
    })
    .filter(({ totalMs }) => totalMs > 0)
    .toSorted((a, b) => order(b.machine, a.machine) || b.totalMs - a.totalMs || order(a.state, b.state));
}

function loopsOf(all: readonly SessionStats[]): readonly RuleLoops[] {
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
      const found = loops.get(rule) ?? [];
      return {
        rule,
        verdicts: verdicts.length,
        ended: verdicts.filter(({ ended }) => ended).length,
        loops: found.length,
        steps: sum(found, ({ steps }) => steps),
        tokens: sum(found, ({ tokens }) => tokens),
      };
    })
    .toSorted((a, b) => b.tokens - a.tokens || b.steps - a.steps || order(a.rule, b.rule));
}

function worstLoops(all: readonly SessionStats[]): readonly WorstLoop[] {
  return all
    .flatMap(({ id, goal, loops }) => loops.map((loop) => ({ session: id, goal, ...loop })))
    .toSorted((a, b) => b.tokens - a.tokens || b.steps - a.steps || order(a.session, b.session))
    .slice(0, worstMax);
}

const worstMax = 20;

function savedOf(all: readonly SessionStats[]): Saved {
  const loops = all.flatMap((each) => each.loops);
  const steps = sum(loops, (loop) => loop.steps);
  const tokens = sum(loops, (loop) => loop.tokens);
  return {
    tokens: null,
    stoppedTurns: sum(all, ({ verdicts }) => verdicts.filter(({ ended }) => ended).length),
    refusedCalls: sum(all, ({ refusedCalls }) => refusedCalls),
    tokensPerLoopStep: shareOf(tokens, steps),
  };
}

function groups(
  all: readonly SessionStats[],
  nameOf: (session: SessionStats) => string,
): readonly GroupStats[] {
  return [...Map.groupBy(all, nameOf)]
    .map(([name, group]) => ({
      name,
      sessions: group.length,
      answered: group.filter(({ how }) => how === 'answered').length,
      stuck: group.filter(({ how }) => how === 'stuck').length,
      ...efficiencyOf(group),
      toolCalls: sum(group, ({ toolCalls }) => toolCalls),
      inputTokens: sum(group, ({ inputTokens }) => inputTokens),
      outputTokens: sum(group, ({ outputTokens }) => outputTokens),
      cost: group.every(({ cost }) => cost === null) ? null : sum(group, ({ cost }) => cost ?? 0),
    }))
    .toSorted((a, b) => b.sessions - a.sessions || order(a.name, b.name));
}

function toolsOf(calls: readonly CallStats[]): readonly ToolStats[] {
  return [...Map.groupBy(calls, ({ tool }) => tool)]
    .map(([tool, group]) => {
      const times = group.flatMap(({ ms }) => (ms === null ? [] : [Math.max(0, ms)]));
      return {
        tool,
        calls: group.length,
        failed: group.filter(({ ok }) => !ok).length,
        repeated: group.filter(({ ok, news }) => ok && !news).length,
        totalMs: sum(times, (ms) => ms),
        medianMs: median(times),
      };
    })
    .toSorted((a, b) => b.calls - a.calls || order(a.tool, b.tool));
}

/** A rule that was marked counts even if its session has been removed since. */
function accuracyOf(all: readonly SessionStats[], marks: readonly VerdictMark[]): readonly RuleAccuracy[] {
  const reached = Map.groupBy(
    all.flatMap(({ verdicts }) => verdicts),
    ({ rule }) => rule,
  );
  const marked = Map.groupBy(marks, ({ rule }) => rule);
  return [...new Set([...reached.keys(), ...marked.keys()])]
    .map((rule) => {
      const given = marked.get(rule) ?? [];
      const right = given.filter(({ mark }) => mark === 'right').length;
      const wrong = given.length - right;
      const verdicts = Math.max(reached.get(rule)?.length ?? 0, given.length);
      return { rule, verdicts, right, wrong, share: shareOf(right, given.length) };
    })
    .toSorted((a, b) => b.right + b.wrong - a.right - a.wrong || order(a.rule, b.rule));
}

function sum<Item>(list: readonly Item[], numberOf: (item: Item) => number): number {
  return list.reduce((total, item) => total + numberOf(item), 0);
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
