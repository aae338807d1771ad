import type { Observation } from './observation.ts';
import type { Level, Rule, Sight } from './rule.ts';
import { isNews, isSame } from './rules/tail.ts';
import type { Sighting, SightingKind, SightingOf, Wait } from './sighting.ts';

/** How much of each kind the governor looks back on. Three laps of a cycle of sixteen calls fit. */
const windowMax: Record<SightingKind, number> = {
  work: 48,
  waiting: 4,
  talk: 8,
  decision: 16,
  paging: 8,
  chant: 8,
  mode: 8,
};

/** How many loops it remembers having spoken about. */
const loopsMax = 32;

/** The latest sightings of each kind, newest last. */
export type Windows = { readonly [Kind in SightingKind]: readonly SightingOf<Kind>[] };

/** What the governor keeps of a session: bounded, plain JSON, and a function of the sightings alone. */
export type Watch = {
  readonly seen: Windows;
  /** Loops that were spoken about, and how gravely. */
  readonly spoken: readonly Spoken[];
};

type Spoken = { readonly rule: string; readonly loop: string; readonly level: Level };

/** What the governor makes of a sighting. */
export type Finding = Sight & {
  readonly rule: string;
  readonly level: Level;
  /** What speaks against it: calls since the loop began that brought something new. */
  readonly counterEvidence: readonly { readonly seq: number }[];
};

const nothing: Windows = {
  work: [],
  waiting: [],
  talk: [],
  decision: [],
  paging: [],
  chant: [],
  mode: [],
};

export const unwatched: Watch = { seen: nothing, spoken: [] };

/** Takes in one sighting; says the gravest thing there is to say about it that has not been said yet, or null. */
export function watch(
  before: Watch,
  sighting: Sighting,
  rules: readonly Rule[],
): { readonly watch: Watch; readonly finding: Finding | null } {
  const seen = see(before.seen, sighting);
  let gravest: (Sight & { readonly rule: string; readonly level: Level }) | null = null;
  for (const rule of rules) {
    if ((rule.on ?? 'work') !== sighting.kind) continue;
    const finding = find(rule, seen);
    if (finding === null || wasSaid(before.spoken, finding)) continue;
    if (gravest === null || gravity[finding.level] > gravity[gravest.level]) gravest = finding;
  }
  if (gravest === null) return { watch: { seen, spoken: before.spoken }, finding: null };
  const { rule, loop, level } = gravest;
  const spoken = [...before.spoken.slice(-(loopsMax - 1)), { rule, loop, level }];
  const finding = { ...gravest, counterEvidence: counterEvidence(seen.work, gravest.evidence) };
  return { watch: { seen, spoken }, finding };
}

/** A word from the user starts the work afresh. */
export function heardUser(before: Watch): Watch {
  return before.seen === nothing ? before : { seen: nothing, spoken: before.spoken };
}

/** How far each rule is from what it would do next, for whoever looks on. */
export type Distance = {
  readonly rule: string;
  readonly count: number;
  /** The next rung that has not been reached, and from how many on it is. */
  readonly next: { readonly level: Level; readonly at: number } | null;
};

export function distances({ seen }: Watch, rules: readonly Rule[]): readonly Distance[] {
  return rules.map((rule) => {
    const count = look(rule, seen)?.count ?? 0;
    const ahead = levels.flatMap((level) => {
      const at = rule.thresholds[level] ?? null;
      return at === null || count >= at ? [] : [{ level, at }];
    });
    return { rule: rule.id, count, next: ahead[0] ?? null };
  });
}

const gravity: Record<Level, number> = { advise: 1, refuse: 2, ask: 3, finish: 4 };

const levels: readonly Level[] = ['advise', 'refuse', 'ask', 'finish'];

/** Something new that was done shows that the agent neither just waits nor just talks, nor is short of room. */
function see(before: Windows, sighting: Sighting): Windows {
  const { kind } = sighting;
  if (kind === 'waiting') return { ...before, waiting: withLook(before.waiting, sighting) };
  const window = [...before[kind].slice(-(windowMax[kind] - 1)), sighting];
  if (kind !== 'work') return { ...before, [kind]: window };
  const work = window as readonly Observation[];
  const { mode } = before;
  return isNews(work, work.length - 1)
    ? { ...nothing, work, mode }
    : { ...before, work, talk: nothing.talk, decision: nothing.decision, chant: nothing.chant };
}

function withLook(waits: readonly Wait[], last: Observation): readonly Wait[] {
  const wait = waits.at(-1);
  return wait !== undefined && isSame(wait.last, last)
    ? [...waits.slice(0, -1), { ...wait, last, looks: wait.looks + 1 }]
    : [...waits.slice(-(windowMax.waiting - 1)), { first: last, last, looks: 1 }];
}

function look(rule: Rule, seen: Windows): Sight | null {
  switch (rule.on) {
    case undefined:
    case 'work':
      return rule.look(seen.work);
    case 'waiting':
      return rule.look(seen.waiting);
    case 'talk':
      return rule.look(seen.talk);
    case 'decision':
      return rule.look(seen.decision);
    case 'paging':
      return rule.look(seen.paging);
    case 'chant':
      return rule.look(seen.chant);
    case 'mode':
      return rule.look(seen.mode);
    default:
      return rule satisfies never;
  }
}

function find(rule: Rule, seen: Windows): (Sight & { readonly rule: string; readonly level: Level }) | null {
  const sight = look(rule, seen);
  if (sight === null) return null;
  const level = levels.findLast((each) => sight.count >= (rule.thresholds[each] ?? Infinity));
  return level === undefined ? null : { ...sight, rule: rule.id, level };
}

function counterEvidence(
  work: readonly Observation[],
  evidence: Sight['evidence'],
): Finding['counterEvidence'] {
  const since = evidence[0]?.seq ?? Infinity;
  const isEvidence = new Set(evidence.map(({ seq }) => seq));
  return work.filter(({ seq }, index) => seq > since && !isEvidence.has(seq) && isNews(work, index));
}

function wasSaid(
  spoken: readonly Spoken[],
  { rule, loop, level }: { readonly rule: string; readonly loop: string; readonly level: Level },
): boolean {
  return spoken.some(
    (each) => each.rule === rule && each.loop === loop && gravity[each.level] >= gravity[level],
  );
}
