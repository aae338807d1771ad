import { isDeepStrictEqual } from 'node:util';
import type { RequestedCall } from '@pawl/core';
import { foldPath } from '../platform/platform.ts';
import { parseGlob, parseNameGlob } from '../search/glob.ts';
import type { CallSubject } from './call-subject.ts';
import { matchesPlainCommand, matchesAnyCommand } from './command-pattern.ts';
import type { PermissionRule } from './rule.ts';

/**
 * Whether a rule applies to a call. An allow rule must cover the whole call; an ask or deny rule applies if it matches
 * any part of it.
 */
export function matchesCall(rule: PermissionRule, call: RequestedCall, subject: CallSubject): boolean {
  if (!parseNameGlob(rule.tool)(call.tool)) return false;
  if (rule.exactly !== undefined) return isDeepStrictEqual(rule.exactly, call.args);
  if (rule.on === undefined) return true;
  if (rule.decision !== 'allow') return touchesSubject(rule.on, subject);
  if (subject.line !== null) return matchesPlainCommand(rule.on, subject.line);
  return coversAllPaths(rule.on, subject);
}

function coversAllPaths(pattern: string, { paths }: CallSubject): boolean {
  const matches = parseGlob(pattern);
  return matches !== null && paths.length > 0 && paths.every(({ names }) => names.every(matches));
}

/** Matches case-insensitively, because such names may be the same file, and matches everything inside a folder. */
function touchesSubject(pattern: string, { paths, line, platform }: CallSubject): boolean {
  if (line !== null && matchesAnyCommand(pattern, line, platform)) return true;
  const lower = pattern.toLowerCase();
  const globs = [parseGlob(lower), parseGlob(`${lower.replace(/\/$/, '')}/**`)];
  const folded = paths.flatMap(({ names }) => names.flatMap((name) => foldPath(name, platform)));
  return folded.some((name) => globs.some((matches) => matches === null || matches(name)));
}
