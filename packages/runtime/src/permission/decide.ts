import type { ToolCall } from '@pawl/core';
import type { FileChange, ReviewedChange } from '../tools/file-diff.ts';
import type { PermissionDecision } from '../ports/agent-ports.ts';
import { createSerialRunner } from '../platform/serial-runner.ts';
import type { PermissionPolicy } from './permissions.ts';
import { formatPermissionRule, type PermissionRule } from './rule.ts';

/** A permission prompt for one call. */
export type PermissionQuestion = {
  readonly call: ToolCall;
  /** Why the user is asked. */
  readonly reason: string;
  /** The rule that "always" would add, as text; null if "always" is not available. */
  readonly always: string | null;
  /** The change to a file that the call would make; null if it changes none, or would fail. */
  readonly change: ReviewedChange | null;
};

export type PermissionAnswer =
  | { readonly decision: 'allow'; readonly always?: boolean }
  | { readonly decision: 'deny'; readonly reason?: string };

/** Asks the user one question. The value null means that no user is available. */
export type PermissionPrompter =
  | ((question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>)
  | null;

export type DecideOptions = {
  readonly permissions: PermissionPolicy;
  readonly ask: PermissionPrompter;
  /** Computes the change to a file that a call would make. */
  readonly preview?: (call: ToolCall) => Promise<FileChange | null>;
  /** Called with a rule that the user created with "always", to persist it. */
  readonly onRule?: (rule: PermissionRule) => void;
};

/**
 * Decides calls that require permission, one prompt at a time. The answer applies to the call that was shown, and
 * exactly that call runs. If no user is available, the call is denied.
 */
export function createPermissionDecider(
  options: DecideOptions,
): (call: ToolCall, signal: AbortSignal) => Promise<PermissionDecision> {
  const runExclusive = createSerialRunner();
  return (call, signal) => runExclusive(() => decidePermission(options, call, signal));
}

async function decidePermission(
  { permissions, ask, preview, onRule }: DecideOptions,
  call: ToolCall,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  // A rule from an earlier answer may already decide this call.
  const { decision, reason } = permissions.explain(call);
  if (decision === 'deny') return { decision, reason };
  if (decision === 'allow') return { decision };
  if (ask === null) return { decision: 'deny', reason: 'no user is available to ask' };
  if (signal.aborted) return { decision: 'deny', reason: 'the prompt was cancelled' };
  const rule = permissions.createAlwaysRule(call);
  const always = rule === null ? null : formatPermissionRule(rule);
  const answer = await ask({ call, reason, always, change: await reviewChange(call, preview) }, signal);
  if (answer.decision === 'allow' && answer.always === true && rule !== null) {
    permissions.add(rule);
    onRule?.(rule);
  }
  return answer.decision === 'allow' ? { decision: 'allow' } : answer;
}

async function reviewChange(
  call: ToolCall,
  preview: DecideOptions['preview'],
): Promise<ReviewedChange | null> {
  const change = (await preview?.(call)) ?? null;
  if (change === null) return null;
  // Loaded when a person is asked, because most runs never do.
  const { toReviewedChange } = await import('../tools/file-diff.ts');
  return toReviewedChange(change);
}
