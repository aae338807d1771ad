import type { RequestedCall } from '../event.ts';
import type { Json } from '../json.ts';
import { pathOf } from './change.ts';

/**
 * What to do about one kind of error. `advice` joins what the model is told; when that was not enough and the same call
 * failed again, `remedy` is done instead of running it once more.
 */
export type Recovery = {
  readonly id: string;
  /** A regular expression that the text of the error fits, in whatever case. */
  readonly pattern: string;
  readonly advice: string;
  readonly remedy: Remedy;
};

export type Remedy =
  /** Run a call of a tool that has worked before; `{path}` stands for the file that the failing call was about. */
  | { readonly do: 'run'; readonly tool: string; readonly args: { readonly [name: string]: string } }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'ask' }
  | { readonly do: 'refuse' };

/** A call that failed, what it said, and the tools that are known to be there because they have worked. */
export type Failure = { readonly args: Json; readonly said: string; readonly tools: ReadonlySet<string> };

const reread: Remedy = { do: 'run', tool: 'read', args: { path: '{path}' } };

/** The kinds of errors that every agent meets, the most specific first. */
export const pawlRecoveries: readonly Recovery[] = [
  {
    id: 'outdated-file',
    pattern: String.raw`(?:changed|modified) (?:on disk |since|by )|has not been read|read (?:it|the file) (?:first|again)|stale`,
    advice: 'The file is not as you remember it: read it again before you change it.',
    remedy: reread,
  },
  {
    id: 'edit-mismatch',
    pattern: String.raw`(?:old_?str\w*|search (?:text|block)|text to replace|string to replace|pattern)[^\n]{0,80}not found|(?:no|not an?) (?:exact )?match|did not match|not unique|multiple (?:matches|occurrences)|patch does not apply|hunk[^\n]{0,40}failed`,
    advice: 'Read the file and copy the text to replace from it, exactly as it stands there.',
    remedy: reread,
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
    remedy: { do: 'refuse' },
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

/** The text of an error says what kind it is at its beginning. */
const saidMax = 1_000;

/** What is known to help against this error: the user's own first, then what is built in. */
export function recoveryFor(own: readonly Recovery[] | undefined, { said }: Failure): Recovery | null {
  const text = said.slice(0, saidMax);
  const fits = ({ pattern }: Recovery): boolean => isMatch(pattern, text);
  return own?.find(fits) ?? pawlRecoveries.find(fits) ?? null;
}

/** The calls a remedy runs, or null when it runs none, or has not the tool or the file for it. */
export function remedyCalls(remedy: Remedy, { args, tools }: Failure): readonly RequestedCall[] | null {
  if (remedy.do !== 'run' || !tools.has(remedy.tool)) return null;
  const path = pathOf(args);
  const filled: Record<string, Json> = {};
  for (const [name, value] of Object.entries(remedy.args)) {
    if (path === null && value.includes('{path}')) return null;
    filled[name] = value.replaceAll('{path}', () => path ?? '');
  }
  return [{ tool: remedy.tool, args: filled }];
}

/** A pattern that is no regular expression fits nothing: a mistake in the settings must not stop the work. */
function isMatch(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'i').test(text);
  } catch {
    return false;
  }
}
