import type { RequestedCall } from './call-ids.ts';
import type { Json } from './json.ts';
import { getPathArgument } from './observations/file-change.ts';

/**
 * A known recovery from one kind of error. `advice` is added to the verdict's advice; if the same call still fails
 * again, `remedy` replaces running it once more.
 */
export type KnownRecovery = {
  readonly id: string;
  /** A case-insensitive regular expression that matches the error text. */
  readonly pattern: string;
  readonly advice: string;
  readonly remedy: ErrorRemedy;
};

export type ErrorRemedy =
  /** Runs a tool that has worked before; `{path}` stands for the file of the failing call. */
  | { readonly do: 'run'; readonly tool: string; readonly args: { readonly [name: string]: string } }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'ask' }
  | { readonly do: 'block' };

/** A failed call with its error text, and the tools known to exist because they have worked. */
export type RecoverableFailure = {
  readonly args: Json;
  readonly errorText: string;
  readonly tools: ReadonlySet<string>;
};

const rereadRemedy: ErrorRemedy = { do: 'run', tool: 'read', args: { path: '{path}' } };

/** Recoveries from common kinds of errors, most specific first. */
export const pawlRecoveries: readonly KnownRecovery[] = [
  {
    id: 'outdated-file',
    pattern: String.raw`(?:changed|modified) (?:on disk |since|by )|has not been read|read (?:it|the file) (?:first|again)|stale`,
    advice: 'The file is not as you remember it: read it again before you change it.',
    remedy: rereadRemedy,
  },
  {
    id: 'edit-mismatch',
    pattern: String.raw`(?:old_?str\w*|search (?:text|block)|text to replace|string to replace|pattern)[^\n]{0,80}not found|(?:no|not an?) (?:exact )?match|did not match|not unique|multiple (?:matches|occurrences)|patch does not apply|hunk[^\n]{0,40}failed`,
    advice: 'Read the file and copy the text to replace from it, exactly as it stands there.',
    remedy: rereadRemedy,
  },
  {
    id: 'rate-limit',
    pattern: String.raw`rate.?limit|too many requests|\b429\b|quota exceeded|slow down`,
    advice: 'Wait a while before you ask again.',
    remedy: { do: 'wait', ms: 30_000 },
  },
  {
    id: 'timeout',
    pattern: String.raw`tim(?:ed|e) ?-?out|deadline exceeded|took too long|ETIMEDOUT`,
    advice: 'Take a smaller step: fewer files, fewer tests, or a shorter command.',
    remedy: { do: 'block' },
  },
  {
    id: 'missing-file',
    pattern: String.raw`no such file|file not found|does not exist|ENOENT|cannot find (?:the )?(?:file|path)`,
    advice: 'Search for the name, or list the folder, instead of guessing the path.',
    remedy: { do: 'run', tool: 'search', args: { query: '{path}' } },
  },
  {
    id: 'permission',
    pattern: String.raw`permission denied|not permitted|access (?:is )?denied|EACCES|EPERM|forbidden|\b403\b|unauthori[sz]ed|\b401\b`,
    advice: 'You are not allowed to do that this way: do it another way, or say what you would need.',
    remedy: { do: 'ask' },
  },
];

/** Only the start of an error text is matched, because it says what kind of error it is. */
const matchedErrorMax = 1_000;

/** Finds a recovery for an error: the user's own first, then the built-in ones. */
export function findRecovery(
  own: readonly KnownRecovery[] | undefined,
  { errorText }: RecoverableFailure,
): KnownRecovery | null {
  const text = errorText.slice(0, matchedErrorMax);
  const fits = ({ pattern }: KnownRecovery): boolean => matchesErrorPattern(pattern, text);
  return own?.find(fits) ?? pawlRecoveries.find(fits) ?? null;
}

/** Returns the calls of a remedy, or null if it runs none or its tool or file is unknown. */
export function buildRequestedCalls(
  remedy: ErrorRemedy,
  { args, tools }: RecoverableFailure,
): readonly RequestedCall[] | null {
  if (remedy.do !== 'run' || !tools.has(remedy.tool)) return null;
  const path = getPathArgument(args);
  const filled: Record<string, Json> = {};
  for (const [name, value] of Object.entries(remedy.args)) {
    if (path === null && value.includes('{path}')) return null;
    filled[name] = value.replaceAll('{path}', () => path ?? '');
  }
  return [{ tool: remedy.tool, args: filled }];
}

/** An invalid pattern matches nothing, because a mistake in the settings must not stop the work. */
function matchesErrorPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'i').test(text);
  } catch {
    return false;
  }
}
