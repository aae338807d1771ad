import type { RequestedCall } from '../observations/call-ids.ts';
import type { GradedMatch } from './detector.ts';
import type { ErrorRemedy, GovernorSettings, KnownRecovery } from '../rules/governor-settings.ts';
import type { Json } from '../json/json.ts';
import { getPathArgument } from '../observations/call-observation.ts';
import type { RuleSeverity } from '../rules/rule.ts';

/** How the turn machine responds to a verdict, mildest first. `stop` asks for a final answer; `halt` ends at once. */
export type VerdictResponse =
  | { readonly kind: 'advise' }
  | { readonly kind: 'block' }
  | { readonly kind: 'run'; readonly calls: readonly RequestedCall[] }
  | { readonly kind: 'recover'; readonly waitMs?: number }
  | { readonly kind: 'ask' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'halt' };

/** A verdict on the work so far: the rule, the reason, the evidence and the advice. */
export type Verdict = {
  readonly severity: RuleSeverity;
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** Sequence numbers of the events that prove it. */
  readonly evidence: readonly number[];
  /** Sequence numbers of later events that speak against it. */
  readonly counterEvidence?: readonly number[];
  readonly response: VerdictResponse;
};

/** Whether a verdict is more than a warning. */
export function isStuckVerdict({ severity }: Pick<Verdict, 'severity'>): boolean {
  return severity !== 'advise';
}

/**
 * Creates the verdict for a match. A known recovery from the current error adds its advice, and its remedy at severity
 * `block`.
 */
export function createVerdict(
  match: GradedMatch,
  settings: GovernorSettings,
  failure: RecoverableFailure | null,
): Verdict {
  const { severity, rule, reason, advice, evidence, counterEvidence } = match;
  const recovery = failure === null ? null : findRecovery(settings.recoveries, failure);
  return {
    severity,
    rule,
    reason,
    advice: recovery === null ? advice : `${advice} ${recovery.advice}`,
    evidence: evidence.map(({ seq }) => seq),
    counterEvidence: counterEvidence.map(({ seq }) => seq),
    response: chooseResponse(
      severity,
      settings,
      recovery === null || failure === null ? null : { recovery, failure },
    ),
  };
}

function chooseResponse(
  severity: RuleSeverity,
  { attended = false }: GovernorSettings,
  known: { readonly recovery: KnownRecovery; readonly failure: RecoverableFailure } | null,
): VerdictResponse {
  if (severity === 'ask') return { kind: attended ? 'ask' : 'stop' };
  if (severity !== 'block' || known === null) return { kind: severity };
  const { remedy } = known.recovery;
  if (remedy.do === 'wait') return { kind: 'recover', waitMs: remedy.ms };
  if (remedy.do === 'ask' && attended) return { kind: 'ask' };
  const calls = buildRequestedCalls(remedy, known.failure);
  return calls === null ? { kind: 'block' } : { kind: 'run', calls };
}

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
function buildRequestedCalls(
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
