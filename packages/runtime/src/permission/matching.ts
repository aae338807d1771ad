import { isDeepStrictEqual } from 'node:util';
import type { RequestedCall } from '@pawl/core';
import { parseGlob, parseNameGlob } from '../search/glob.ts';
import type { CallSubject } from './call-subject.ts';
import { isPlainly, isSomewhere } from './command-pattern.ts';
import type { PermissionRule } from './rule.ts';

/**
 * Whether a rule is about a call. In doubt a rule that allows is not, and one that asks or denies is: all of a call must be
 * allowed, and any part of it may be what is denied.
 */
export function isAbout(rule: PermissionRule, call: RequestedCall, subject: CallSubject): boolean {
  if (!parseNameGlob(rule.tool)(call.tool)) return false;
  if (rule.exactly !== undefined) return isDeepStrictEqual(rule.exactly, call.args);
  if (rule.on === undefined) return true;
  if (rule.decision !== 'allow') return touches(rule.on, subject);
  if (subject.line !== null) return isPlainly(rule.on, subject.line);
  return staysWithin(rule.on, subject);
}

function staysWithin(pattern: string, { paths }: CallSubject): boolean {
  const fits = parseGlob(pattern);
  return fits !== null && paths.length > 0 && paths.every(({ names }) => names.every(fits));
}

/** Names that differ only in case may be the same file, and a folder is denied with all that is in it. */
function touches(pattern: string, { paths, line }: CallSubject): boolean {
  if (line !== null && isSomewhere(pattern, line)) return true;
  const lower = pattern.toLowerCase();
  const globs = [parseGlob(lower), parseGlob(`${lower.replace(/\/$/, '')}/**`)];
  return paths.some(({ names }) =>
    names.some((name) => globs.some((fits) => fits === null || fits(name.toLowerCase()))),
  );
}
