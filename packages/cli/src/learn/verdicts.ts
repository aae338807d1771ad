import type { AuditLevel, Level, Thresholds } from '@pawl/core';
import type { Count } from './counts.ts';
import type { Told } from './score.ts';

/** The thresholds of each rule, by its name. A rule that is not there says nothing. */
export type RuleThresholds = ReadonlyMap<string, Thresholds>;

/** What the governor says with these thresholds about what its rules have counted: the same as `audit` with such rules. */
export function verdictsOn(counts: readonly Count[], thresholds: RuleThresholds): readonly Told[] {
  const told: Told[] = [];
  let spoken: readonly Spoken[] = [];
  let gravest: Spoken | null = null;
  for (const [index, { step, rule, count, loop }] of counts.entries()) {
    const gravity = gravityOf(count, thresholds.get(rule));
    if (gravity > (gravest?.gravity ?? 0) && !wasSaid(spoken, { loop, gravity })) gravest = { loop, gravity };
    if (gravest === null || counts[index + 1]?.step === step) continue;
    told.push({ step, level: auditLevels[gravest.gravity - 1] ?? 'stop' });
    if (gravest.gravity >= endingGravity) break;
    spoken = [...spoken.slice(-(loopsMax - 1)), gravest];
    gravest = null;
  }
  return told;
}

/** How many loops the governor remembers having spoken about. */
const loopsMax = 32;

/** What a rule can do, from the mildest on. */
export const ladder: readonly Level[] = ['advise', 'refuse', 'ask', 'finish'];
const auditLevels: readonly AuditLevel[] = ['nudge', 'block', 'ask', 'stop'];
const endingGravity = 3;

/** Loops have numbers of their own for each rule, so a number names both. */
type Spoken = { readonly loop: number; readonly gravity: number };

/** 0 for nothing to say, then the levels from the mildest on. */
function gravityOf(count: number, thresholds: Thresholds | undefined): number {
  if (thresholds === undefined) return 0;
  for (let index = ladder.length - 1; index >= 0; index -= 1) {
    const level = ladder[index];
    if (level !== undefined && count >= (thresholds[level] ?? Infinity)) return index + 1;
  }
  return 0;
}

function wasSaid(spoken: readonly Spoken[], { loop, gravity }: Spoken): boolean {
  return spoken.some((each) => each.loop === loop && each.gravity >= gravity);
}
