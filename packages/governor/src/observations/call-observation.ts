import type { Json } from '../json.ts';
import { inferFileChange, type FileContentChange, type FileEffect } from './file-change.ts';
import {
  canonicalizeJson,
  fingerprintText,
  classifyError,
  fingerprintMeaning,
  fingerprintQuery,
  getTextArgument,
} from './fingerprint.ts';

/** The known facts about a finished tool call. */
export type CallFacts = {
  /** The number of the event or recorded step that proves the call. */
  readonly seq: number;
  /** When the call ended, if known. */
  readonly at?: number | undefined;
  readonly tool: string;
  readonly args: Json;
  /** Fingerprint of the complete arguments, if `args` is truncated. */
  readonly argsHash?: string | undefined;
  readonly ok: boolean;
  /** The tool's output or error message. */
  readonly output: string;
  /** Fingerprint of the complete output, if `output` is truncated. */
  readonly outputHash?: string | undefined;
  /** Files the call changed, if known; otherwise they are inferred from the arguments. */
  readonly files?: readonly FileEffect[] | undefined;
};

/**
 * One tool call with its outcome, reduced to fingerprints. Observations with the same `call` made the same request;
 * with the same `outcome` they got the same result.
 */
export type CallObservation = {
  /** `wait` polls something else that is not done yet; all other calls are `call`. */
  readonly kind: 'call' | 'wait';
  readonly seq: number;
  readonly at: number | null;
  readonly tool: string;
  readonly call: string;
  readonly outcome: string;
  /** The error class, independent of tool and arguments; null for a success. */
  readonly error: string | null;
  /** Whether the output was empty. */
  readonly isOutputEmpty: boolean;
  /** The normalized search query; null if the call is not a search. */
  readonly query: string | null;
  /** The change the call made to a file; null if it changed none or the change is unknown. */
  readonly change: FileContentChange | null;
};

/** Reduces the facts about a finished call to an observation. */
export function observeCall(facts: CallFacts): CallObservation {
  const { seq, at = null, tool, args, ok, output, outputHash } = facts;
  return {
    kind: isWaitingCall(facts) ? 'wait' : 'call',
    seq,
    at,
    tool,
    call: computeCallKey(tool, args, facts.argsHash),
    outcome: `${ok ? 'ok' : 'error'} ${outputHash ?? fingerprintMeaning(output)}`,
    error: ok ? null : fingerprintText(classifyError(output)),
    isOutputEmpty: output.trim() === '',
    query: fingerprintQuery(args),
    change: ok ? inferFileChange(args, facts.files) : null,
  };
}

/** Formats tool output as text; values nested deeper than the canonical limit are truncated. */
export function formatToolOutput(output: Json): string {
  return typeof output === 'string' ? output : canonicalizeJson(output);
}

/** Computes the identity of a call: the tool and its canonicalized arguments. */
export function computeCallKey(tool: string, args: Json, argsHash?: string): string {
  return fingerprintText(`${tool} ${argsHash ?? canonicalizeJson(args)}`);
}

/** A status message is short; a longer text that contains such words says more than that. */
const statusTextMax = 400;

const notDonePattern =
  /\b(?:still (?:running|going|working|building|waiting|processing)|in[ _-]progress|not (?:yet )?(?:ready|finished|done|complete|completed|available yet)|pending|queued|(?:please )?wait(?:ing)? (?:for|until)|provisioning|(?:status|state)["']?\s*[:=]\s*["']?(?:running|waiting|starting|processing|building|created))\b/i;

const sleepPattern = /^\s*(?:sleep|timeout \d+ sleep)\s+[\d.]+[smh]?\s*;?\s*$/;

/**
 * Whether a call only waits: it sleeps, or polls something that is not done yet. Waiting is bounded by time, not by the
 * number of polls.
 */
function isWaitingCall({ tool, args, ok, output }: CallFacts): boolean {
  if (!ok) return false;
  if (/^(?:sleep|wait|wait_for\w*|poll)$/i.test(tool)) return true;
  const command = getTextArgument(args, ['command', 'cmd']) ?? (typeof args === 'string' ? args : '');
  if (command.length < statusTextMax && sleepPattern.test(command)) return true;
  return output.length <= statusTextMax && notDonePattern.test(output);
}
