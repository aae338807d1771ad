import type { Observation } from './observation.ts';
import type { Level, Rule, Sight } from './rule.ts';

/** How many observations the governor looks back on. Three laps of a cycle of sixteen fit. */
const windowMax = 48;

/** How many loops it remembers having spoken about. */
const loopsMax = 32;

/** What the governor keeps of a session: bounded, plain JSON, and a function of the observations alone. */
export type Watch = {
  /** The latest observations, newest last. */
  readonly window: readonly Observation[];
  /** Loops that were spoken about, and how gravely. */
  readonly spoken: readonly Spoken[];
};

type Spoken = { readonly rule: string; readonly loop: string; readonly level: Level };

/** What the governor makes of an observation. */
export type Finding = Sight & { readonly rule: string; readonly level: Level };

export const unwatched: Watch = { window: [], spoken: [] };

/** Takes in one observation; says the gravest thing there is to say about it that has not been said yet, or null. */
export function watch(
  before: Watch,
  observation: Observation,
  rules: readonly Rule[],
): { readonly watch: Watch; readonly finding: Finding | null } {
  const window = [...before.window.slice(-(windowMax - 1)), observation];
  let gravest: Finding | null = null;
  for (const rule of rules) {
    const finding = find(rule, window);
    if (finding === null || wasSaid(before.spoken, finding)) continue;
    if (gravest === null || gravity[finding.level] > gravity[gravest.level]) gravest = finding;
  }
  if (gravest === null) return { watch: { window, spoken: before.spoken }, finding: null };
  const { rule, loop, level } = gravest;
  const spoken = [...before.spoken.slice(-(loopsMax - 1)), { rule, loop, level }];
  return { watch: { window, spoken }, finding: gravest };
}

/** For recorded runs: a word from the user starts the work afresh. */
export function heardUser(before: Watch): Watch {
  return before.window.length === 0 ? before : { window: [], spoken: before.spoken };
}

const gravity: Record<Level, number> = { advise: 1, refuse: 2, finish: 3 };

function find(rule: Rule, window: readonly Observation[]): Finding | null {
  const sight = rule.look(window);
  if (sight === null) return null;
  const level = levelOf(rule, sight.count);
  return level === null ? null : { ...sight, rule: rule.id, level };
}

function levelOf({ thresholds }: Rule, count: number): Level | null {
  const reached = (level: Level): boolean => thresholds[level] !== null && count >= (thresholds[level] ?? 0);
  if (reached('finish')) return 'finish';
  if (reached('refuse')) return 'refuse';
  return reached('advise') ? 'advise' : null;
}

function wasSaid(spoken: readonly Spoken[], { rule, loop, level }: Finding): boolean {
  return spoken.some(
    (each) => each.rule === rule && each.loop === loop && gravity[each.level] >= gravity[level],
  );
}
