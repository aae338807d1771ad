import type { Json } from '../json/json.ts';
import {
  classifyError,
  fingerprintJson,
  fingerprintMeaning,
  fingerprintQuery,
  fingerprintText,
  getTextArgument,
  canonicalizeJson,
  fingerprintResult,
} from './fingerprint.ts';
import type { CallContext } from './command.ts';
import {
  classifyFailure,
  judgeToolResult,
  type ToolResultReading,
  type ToolResultStatus,
} from './tool-result.ts';
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
  /** Whether the host marked the call as successful; undefined if it marks nothing. */
  readonly ok: boolean | undefined;
  /** Whether `ok` is the caller's own judgment of the output, which the output does not overrule. */
  readonly isMarkFinal?: boolean | undefined;
  /** The exit code, if the host reports it apart from the output. */
  readonly exitCode?: number | null | undefined;
  /** The context of the call, if it is known and the arguments no longer are. */
  readonly context?: CallContext | undefined;
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
  /** Whether a check did its work and reports what is wrong, such as a failed test; absent if not. */
  readonly hasFindings?: true;
  /** How many failures or errors a failed call counts; absent if it does not say. */
  readonly failures?: number;
  /** Whether the output is long enough to be content rather than a confirmation; absent if not. */
  readonly isLongOutput?: true;
  /** What the result says. Absent in sessions from before results were read; they have only `error`. */
  readonly status?: ToolResultStatus;
};

/** Confirmations are shorter. */
const longOutputMin = 200;

/** Reduces the facts about a finished call to an observation. */
export function observeCall(facts: CallFacts): CallObservation {
  const { seq, at = null, tool, args, ok, exitCode, context, output, outputHash } = facts;
  const isError = ok === undefined ? ok : !ok;
  const result = judgeToolResult({ tool, args, output, exitCode, context, isError });
  const status = facts.isMarkFinal === true ? getMarkedStatus(result, ok) : result.status;
  const hasFailed = status === 'failed';
  return {
    kind: status === 'waiting' || (result.isWaitingCall && !hasFailed) ? 'wait' : 'call',
    seq,
    at,
    tool,
    call: computeCallKey(tool, args, facts.argsHash),
    outcome: `${hasFailed ? 'error' : 'ok'} ${outputHash ?? fingerprintResult(result.text)}`,
    error: hasFailed ? fingerprintText(result.errorClass ?? classifyFailure(result.text)) : null,
    isOutputEmpty: result.text.trim() === '',
    query: fingerprintQuery(args),
    change: hasFailed ? null : inferFileChange(args, facts.files),
    status,
    ...listOutputSigns(result, hasFailed),
  };
}

/** The optional fields; absent ones keep stored sessions small. */
function listOutputSigns(
  { text, hasFindings, failures }: Pick<ToolResultReading, 'text' | 'hasFindings' | 'failures'>,
  hasFailed: boolean,
): Pick<CallObservation, 'hasFindings' | 'failures' | 'isLongOutput'> {
  return {
    ...(text.length >= longOutputMin && { isLongOutput: true }),
    ...(hasFailed && hasFindings && { hasFindings: true }),
    ...(hasFailed && failures !== null && { failures }),
  };
}

/** A caller that judges results itself decides whether a call failed, but not whether it waits or found nothing. */
function getMarkedStatus({ status }: Pick<ToolResultReading, 'status'>, ok = true): ToolResultStatus {
  if (!ok) return 'failed';
  return status === 'failed' ? 'succeeded' : status;
}

/** Formats tool output as text; values nested deeper than the canonical limit are truncated. */
export function formatToolOutput(output: Json): string {
  return typeof output === 'string' ? output : canonicalizeJson(output);
}

/** Computes the identity of a call: the tool and its canonicalized arguments. */
export function computeCallKey(tool: string, args: Json, argsHash?: string): string {
  return argsHash === undefined ? fingerprintJson(tool, args) : fingerprintText(`${tool} ${argsHash}`);
}

/** A file after a call: its path, a fingerprint of its whole content and, for display, the change as a unified diff. */
export type FileEffect = { readonly path: string; readonly hash: string; readonly diff?: string };

/**
 * A call's change to a file. `to` identifies the new text, whole content or replaced piece; `from` identifies the piece
 * that was removed, null if the whole content was replaced.
 */
export type FileContentChange = {
  readonly target: string;
  readonly from: string | null;
  readonly to: string;
};

/** Argument names that tools use for the file, the whole content, the old text and the new text. */
const pathArgumentNames = ['path', 'file_path', 'filePath', 'file', 'filename', 'file_name', 'target_file'];
const contentArgumentNames = ['content', 'contents', 'file_text', 'new_content', 'text'];
const oldTextArgumentNames = ['old_string', 'old_str', 'oldString', 'old_text', 'old', 'search'];
const newTextArgumentNames = [
  'new_string',
  'new_str',
  'newString',
  'new_text',
  'new',
  'replace',
  'replacement',
];

/** Returns the change a successful call made: as reported, otherwise as inferred from its arguments. */
export function inferFileChange(
  args: Json,
  files: readonly FileEffect[] | undefined,
): FileContentChange | null {
  const [file] = files ?? [];
  if (file !== undefined)
    return { target: fingerprintText(file.path), from: null, to: fingerprintText(file.hash) };
  const path = getPathArgument(args);
  if (path === null) return null;
  const target = fingerprintText(path);
  const taken = getTextArgument(args, oldTextArgumentNames);
  const put = getTextArgument(args, newTextArgumentNames);
  if (taken !== null && put !== null)
    return { target, from: fingerprintText(taken), to: fingerprintText(put) };
  const content = getTextArgument(args, contentArgumentNames);
  return content === null ? null : { target, from: null, to: fingerprintText(content) };
}

/** Returns the file path in a call's arguments, or null. */
export function getPathArgument(args: Json): string | null {
  return getTextArgument(args, pathArgumentNames);
}

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
