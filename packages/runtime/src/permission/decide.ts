import type { Call } from '@pawl/core';
import type { Decision } from '../work.ts';
import type { Permissions } from './permissions.ts';
import { formatRule, type PermissionRule } from './rule.ts';

/** What a person is asked about one call. */
export type PermissionQuestion = {
  readonly call: Call;
  /** Why it is asked. */
  readonly why: string;
  /** What "always" would mean, as it would stand among the rules; null when it cannot be had. */
  readonly always: string | null;
};

export type PermissionAnswer =
  | { readonly decision: 'allow'; readonly always?: boolean }
  | { readonly decision: 'deny'; readonly reason?: string };

/** Puts one question to a person. Null itself means that nobody is there. */
export type AskPermission =
  | ((question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>)
  | null;

export type DecideOptions = {
  readonly permissions: Permissions;
  readonly ask: AskPermission;
  /** Told of a rule that a person has made with "always", to keep it. */
  readonly onRule?: (rule: PermissionRule) => void;
};

/**
 * Decides about calls that have to be asked for, one question at a time. The answer is about the call that was shown, and
 * the very same call runs. When nobody is there, the answer is no.
 */
export function createDecide(options: DecideOptions): (call: Call, signal: AbortSignal) => Promise<Decision> {
  let last: Promise<unknown> = Promise.resolve();
  return (call, signal) => {
    const answer = last.then(() => decide(options, call, signal));
    // A question that went wrong does not hold up the next.
    last = answer.catch(() => undefined);
    return answer;
  };
}

async function decide(
  { permissions, ask, onRule }: DecideOptions,
  call: Call,
  signal: AbortSignal,
): Promise<Decision> {
  // A rule made by the answer to an earlier question may have settled this one.
  const { decision, why } = permissions.explain(call);
  if (decision === 'deny') return { decision, reason: why };
  if (decision === 'allow') return { decision };
  if (ask === null) return { decision: 'deny', reason: 'nobody is there to ask' };
  if (signal.aborted) return { decision: 'deny', reason: 'it was called off' };
  const rule = permissions.alwaysFor(call);
  const answer = await ask({ call, why, always: rule === null ? null : formatRule(rule) }, signal);
  if (answer.decision === 'allow' && answer.always === true && rule !== null) {
    permissions.add(rule);
    onRule?.(rule);
  }
  return answer.decision === 'allow' ? { decision: 'allow' } : answer;
}
