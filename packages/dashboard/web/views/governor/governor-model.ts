import { distances, type Distance, type Level, type Rule, type Session } from '@pawl/core';
import type { Track } from '../../app/track.ts';
import { amount, duration, money } from '../../app/format.ts';
import { nearness } from '../timeline/history-model.ts';
import { countUpTo } from '../timeline/kept-up.ts';
import { decisionsOf } from '../why/decisions-model.ts';

/** How much of something that is limited is used up. */
export type Meter = {
  readonly name: string;
  readonly used: string;
  readonly max: string;
  /** From 0 to 1, and beyond where more was used than there was. */
  readonly share: number;
  /** Used, but nobody set a limit. */
  readonly isFree: boolean;
};

export type RuleNear = {
  readonly id: string;
  readonly because: string;
  readonly unit: string;
  readonly count: number;
  readonly next: Distance['next'];
  readonly rungs: readonly { readonly level: Level; readonly at: number }[];
  /** From 0, saw nothing, to 1, has nothing left to do. */
  readonly share: number;
};

/** What would bring the work to its end first, and what is left until then. */
export type ForcedEnd = { readonly by: string; readonly left: string; readonly share: number };

export type GovernorShown = {
  readonly preset: string;
  /** The state that a preset with states of its own is in. */
  readonly machine: string | null;
  readonly meters: readonly Meter[];
  /** All the rules, those nearest to what they would do next first. */
  readonly rules: readonly RuleNear[];
  readonly spoke: number;
  readonly latest: { readonly seq: number; readonly rule: string; readonly response: string } | null;
  readonly refused: Session['governor']['refused'];
  readonly recoveries: { readonly used: number; readonly max: number };
  readonly forcedEnd: ForcedEnd | null;
};

/** What the governor makes of the work after an event. `now` is the time for what is not over. */
export function governorShown(
  track: Track,
  at: number,
  { now, rules: given }: { readonly now: number; readonly rules: readonly Rule[] },
): GovernorShown {
  const session = track.at(at);
  const { settings, governor } = session;
  const { verdicts } = decisionsOf(track);
  const spoke = countUpTo(verdicts, at);
  const last = verdicts[spoke - 1];
  const meters = metersOf(session, now);
  const rules = rulesNear(session, given);
  return {
    preset: settings.governor.preset,
    machine: governor.tracker === null ? null : governor.tracker.state.mind.machine.state,
    meters,
    rules,
    spoke,
    latest:
      last === undefined
        ? null
        : { seq: last.seq, rule: last.verdict.rule, response: last.verdict.response.kind },
    refused: governor.refused,
    recoveries: { used: governor.recoveries, max: settings.maxRecoveries },
    forcedEnd: forcedEnd(meters, rules, governor.refused),
  };
}

function metersOf({ settings: { budgets }, spent, turn }: Session, now: number): readonly Meter[] {
  const worked =
    turn.status === 'waitingForUser' ? 0 : Math.max(0, (spent.waitingSince ?? now) - spent.workingSince);
  if (budgets === null) return [];
  const all = [
    { name: 'model calls', used: spent.modelCalls, max: budgets.modelCalls, as: amount },
    { name: 'tool calls', used: spent.toolCalls, max: budgets.toolCalls, as: amount },
    { name: 'tokens', used: spent.tokens, max: budgets.tokens, as: amount },
    { name: 'cost', used: spent.cost, max: budgets.cost, as: money },
    { name: 'time', used: spent.workingSince === 0 ? 0 : worked, max: budgets.wallMs, as: timeText },
  ];
  return all.map(({ name, used, max, as }) => ({
    name,
    used: as(used),
    max: max === null ? 'no limit' : as(max),
    share: max === null ? 0 : max > 0 ? used / max : 1,
    isFree: max === null,
  }));
}

function timeText(ms: number): string {
  return ms === 0 ? '0 s' : duration(ms);
}

const levels: readonly Level[] = ['advise', 'refuse', 'ask', 'finish'];

function rulesNear({ governor }: Session, rules: readonly Rule[]): readonly RuleNear[] {
  const seen = new Map(distances(governor.watch, rules).map((each) => [each.rule, each]));
  return rules
    .map((rule) => nearOf(rule, seen.get(rule.id) ?? { rule: rule.id, count: 0, next: null }))
    .toSorted((one, other) => other.share - one.share || other.count - one.count);
}

function nearOf(rule: Rule, distance: Distance): RuleNear {
  return {
    id: rule.id,
    because: rule.because,
    unit: rule.unit ?? 'times',
    count: distance.count,
    next: distance.next,
    rungs: levels.flatMap((level) => {
      const at = rule.thresholds[level] ?? null;
      return at === null ? [] : [{ level, at }];
    }),
    share: nearness(distance),
  };
}

/** How often a refused call may be asked for before the work is brought to an end. */
const refusalsMax = 2;

/** Of everything that can end the work, what is nearest. */
function forcedEnd(
  meters: readonly Meter[],
  rules: readonly RuleNear[],
  refused: Session['governor']['refused'],
): ForcedEnd | null {
  const byBudget = meters
    .filter(({ isFree }) => !isFree)
    .map(({ name, used, max, share }) => ({
      by: `the budget of ${name}`,
      left: `${used} of ${max} used`,
      share,
    }));
  const byRule = rules.flatMap(({ id, count, rungs, unit }) => {
    const finish = rungs.find(({ level }) => level === 'finish');
    if (finish === undefined || count <= 1) return [];
    return [{ by: id, left: `${count} of ${finish.at} ${unit}`, share: count / finish.at }];
  });
  const byRefusal = refused.map(({ rule, asked }) => ({
    by: `a call refused by ${rule}`,
    left: `asked for again ${asked} of ${refusalsMax} times`,
    share: asked / refusalsMax,
  }));
  const all = [...byBudget, ...byRule, ...byRefusal].toSorted((one, other) => other.share - one.share);
  return all[0] ?? null;
}

/** How a share is shown: quiet until it is nearly used up. */
export function gravity(share: number): 'calm' | 'near' | 'full' {
  if (share >= 0.9) return 'full';
  return share >= 0.6 ? 'near' : 'calm';
}

export function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(Math.max(share, 0) * 100)} %` : '0 %';
}
