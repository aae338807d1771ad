import type { Json } from '../json/json.ts';
import { computeCallKey, inferFileChange, type CallFacts, type CallObservation } from './call-observation.ts';
import {
  classifyError,
  fingerprintMeaning,
  fingerprintQuery,
  fingerprintText,
  getTextArgument,
} from './fingerprint.ts';

/**
 * Observes a call as sessions before log version 5 did: it failed only if it is marked as failed, and its output is
 * compared as the host sent it. Only the replay of such sessions uses this; do not change it.
 */
export function observeMarkedCall(facts: CallFacts): CallObservation {
  const { seq, at = null, tool, args, ok = true, output, outputHash } = facts;
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

const statusTextMax = 400;

const notDonePattern =
  /\b(?:still (?:running|going|working|building|waiting|processing)|in[ _-]progress|not (?:yet )?(?:ready|finished|done|complete|completed|available yet)|pending|queued|(?:please )?wait(?:ing)? (?:for|until)|provisioning|(?:status|state)["']?\s*[:=]\s*["']?(?:running|waiting|starting|processing|building|created))\b/i;

const sleepPattern = /^\s*(?:sleep|timeout \d+ sleep)\s+[\d.]+[smh]?\s*;?\s*$/;

function isWaitingCall({ tool, args, ok = true, output }: CallFacts): boolean {
  if (!ok) return false;
  if (/^(?:sleep|wait|wait_for\w*|poll)$/i.test(tool)) return true;
  const command = getCommandText(args);
  if (command.length < statusTextMax && sleepPattern.test(command)) return true;
  return output.length <= statusTextMax && notDonePattern.test(output);
}

function getCommandText(args: Json): string {
  return getTextArgument(args, ['command', 'cmd']) ?? (typeof args === 'string' ? args : '');
}
