import { parseHookCall, toOutputText, type HookHost, type HookEvent } from './hook-event.ts';
import type { Json } from '@pawl/governor';
import { clineHost } from './cline-host.ts';
import { readCodexCallReply, readCodexCallSuccess } from './codex-transcript.ts';
import { cursorHost } from './cursor-host.ts';
import { getOwnField, getStringField, toJsonFields, type JsonFields } from '../json-fields.ts';
import { governorNotePrefix, type HookDecision, type HookOutcome } from './hook-state.ts';

/** Gemini CLI: once the work is finished, it can be prevented from offering tools at all. */
export const geminiHost: HookHost = {
  name: 'gemini',
  title: 'Gemini CLI',
  reportsModelCalls: true,
  parseEvent(event, input): HookEvent {
    switch (event) {
      case 'BeforeAgent':
        return { type: 'prompted', text: getStringField(input, 'prompt') };
      case 'BeforeTool':
        return { type: 'calling', call: parseHookCall(input) };
      case 'AfterTool':
        return { type: 'called', call: parseHookCall(input), outcome: parseGeminiOutcome(input) };
      case 'BeforeToolSelection':
        return { type: 'choosing' };
      case 'SessionEnd':
        return { type: 'ended' };
      default:
        return { type: 'other' };
    }
  },
  answer: (event, decision) =>
    event === 'BeforeToolSelection' ? toNoToolsAnswer(decision) : toGeminiAnswer(event, decision),
};

function parseGeminiOutcome(input: JsonFields): HookOutcome {
  const response = getOwnField(input, 'tool_response');
  const fields = toJsonFields(response);
  if (fields === null) return { ok: undefined, output: toOutputText(response) };
  const error = getOwnField(fields, 'error');
  const output = toOutputText(getOwnField(fields, 'llmContent') ?? getOwnField(fields, 'returnDisplay'));
  if (error !== undefined && error !== null)
    return { ok: false, output: output === '' ? toOutputText(error) : output };
  return { ok: undefined, output };
}

function toGeminiAnswer(event: string, decision: HookDecision): Json {
  switch (decision.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return {
        hookSpecificOutput: {
          hookEventName: event,
          additionalContext: `${governorNotePrefix} ${decision.text}`,
        },
      };
    case 'deny':
      return { decision: 'deny', reason: `${governorNotePrefix} ${decision.text}` };
    case 'stop':
      return toStopAnswer(decision.text);
    default:
      return decision satisfies never;
  }
}

function toNoToolsAnswer(decision: HookDecision): Json {
  if (decision.kind === 'nothing') return null;
  return { hookSpecificOutput: { hookEventName: 'BeforeToolSelection', toolConfig: { mode: 'NONE' } } };
}

/**
 * Claude Code: reports failed calls as a separate event. `continue: false` before a call does not end the turn, and
 * without a denial the call runs; it ends the turn after the calls of a reply, reported as a batch.
 */
export const claudeHost: HookHost = {
  name: 'claude',
  title: 'Claude Code',
  reportsModelCalls: true,
  parseEvent(event, input) {
    // Cursor also runs the hooks of Claude Code; those of its own govern it.
    if (getOwnField(input, 'cursor_version') !== undefined) return { type: 'other' };
    if (event === 'PostToolUseFailure') return toFailureEvent(input);
    if (event === 'PostToolBatch') return { type: 'continuing' };
    return toToolHookEvent(event, input, (response) => ({ ok: true, output: toOutputText(response) }));
  },
  answer(event, decision) {
    if (decision.kind !== 'stop') return toToolAnswer(event, decision);
    const stop = toStopAnswer(decision.text);
    return event === 'PostToolBatch' ? stop : { ...stop, ...toJsonFields(toToolAnswer(event, decision)) };
  },
};

/** A call that the user interrupted says nothing about progress. */
function toFailureEvent(input: JsonFields): HookEvent {
  if (getOwnField(input, 'is_interrupt') === true) return { type: 'other' };
  return {
    type: 'called',
    call: parseHookCall(input),
    outcome: { ok: false, output: toOutputText(getOwnField(input, 'error')) },
  };
}

type OutcomeReader = (response: Json | undefined, input: JsonFields) => HookOutcome;

/** Converts the events that Claude Code and Codex share. */
function toToolHookEvent(event: string, input: JsonFields, read: OutcomeReader): HookEvent {
  switch (event) {
    case 'UserPromptSubmit':
      return { type: 'prompted', text: getStringField(input, 'prompt') };
    case 'PreToolUse':
      return { type: 'calling', call: parseHookCall(input) };
    case 'PostToolUse':
      return {
        type: 'called',
        call: parseHookCall(input),
        outcome: read(getOwnField(input, 'tool_response'), input),
      };
    case 'SessionEnd':
      return { type: 'ended' };
    default:
      return { type: 'other' };
  }
}

/** Formats the answers that Claude Code and Codex share. They ignore a denial without a reason. */
function toToolAnswer(event: string, decision: HookDecision): Json {
  switch (decision.kind) {
    case 'nothing':
      return null;
    case 'advise':
      return {
        hookSpecificOutput: {
          hookEventName: event,
          additionalContext: `${governorNotePrefix} ${decision.text}`,
        },
      };
    case 'deny':
    case 'stop':
      return {
        hookSpecificOutput: {
          hookEventName: event,
          permissionDecision: 'deny',
          permissionDecisionReason: `${governorNotePrefix} ${decision.text}`,
        },
      };
    default:
      return decision satisfies never;
  }
}

function toStopAnswer(reason: string): JsonFields {
  return { continue: false, stopReason: `Pawl stopped the agent. ${reason}` };
}

/**
 * Codex: events and answers are those of Claude Code, except that only the transcript shows whether a call failed and which
 * reply it belongs to, and that no answer ends a turn: a call can only be denied. At a stop, `codex exec` is interrupted,
 * and the user of the interactive program is told how to stop it.
 */
export const codexHost: HookHost = {
  name: 'codex',
  title: 'Codex',
  parseEvent(event, input) {
    const path = getStringField(input, 'transcript_path');
    const id = getStringField(input, 'tool_use_id');
    const hookEvent = toToolHookEvent(event, input, (response) => ({
      ok: readCodexCallSuccess(path, id),
      output: toOutputText(response),
    }));
    return addReply(hookEvent, readCodexCallReply(path, id));
  },
  answer(event, decision) {
    const answer = toToolAnswer(event, decision);
    if (decision.kind !== 'stop') return answer;
    const systemMessage = 'Pawl: this agent makes calls although its work has ended. Press Esc to stop it.';
    return { ...toJsonFields(answer), systemMessage };
  },
  interruptible: { name: 'codex', subcommands: ['exec', 'e'] },
};

/** Adds which reply contains the call, so that parallel calls are told from calls of a later reply. */
function addReply(hookEvent: HookEvent, reply: string | undefined): HookEvent {
  return reply !== undefined && (hookEvent.type === 'calling' || hookEvent.type === 'called')
    ? { ...hookEvent, call: { ...hookEvent.call, reply } }
    : hookEvent;
}

/**
 * Qwen Code: the events of Claude Code with the results of Gemini CLI. `continue: false` does not end a turn around a
 * call, but before each call of the model Qwen Code reports a user message without text, which can be blocked.
 */
export const qwenHost: HookHost = {
  name: 'qwen',
  title: 'Qwen Code',
  reportsModelCalls: true,
  parseEvent(event, input) {
    if (event === 'PostToolUseFailure') return toFailureEvent(input);
    if (event === 'UserPromptSubmit' && getStringField(input, 'prompt') === '') return { type: 'continuing' };
    return toToolHookEvent(event, input, () => parseGeminiOutcome(input));
  },
  answer(event, decision) {
    if (event !== 'UserPromptSubmit') return toToolAnswer(event, decision);
    if (decision.kind !== 'stop') return null;
    return { decision: 'block', reason: `Pawl stopped the agent. ${decision.text}` };
  },
};

/**
 * opencode has plugins instead of hooks: the plugin that the installer writes sends these events, with the number of the
 * model request, and applies the answers.
 */
export const opencodeHost: HookHost = {
  name: 'opencode',
  title: 'opencode',
  parseEvent(event, input) {
    if (event === 'PostToolUseFailure') return toFailureEvent(input);
    const hookEvent = toToolHookEvent(event, input, (response) => {
      const exitCode = getOwnField(input, 'exit_code');
      // opencode reports a tool that threw as a failure, but not a command that ended with an error.
      return { ok: typeof exitCode === 'number' ? exitCode === 0 : true, output: toOutputText(response) };
    });
    return addReply(hookEvent, getStringField(input, 'reply') || undefined);
  },
  answer(event, decision) {
    return decision.kind === 'stop' ? toStopAnswer(decision.text) : toToolAnswer(event, decision);
  },
};

/**
 * GitHub Copilot CLI: with the event names of Claude Code, it sends the input in nearly the same format, but it reads
 * only answers without `hookSpecificOutput`, and no answer around a call ends a turn. It reports all calls of a reply, with
 * the same timestamp, before it runs the first.
 */
export const copilotHost: HookHost = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  parseEvent(event, input) {
    const hookEvent =
      event === 'PostToolUseFailure'
        ? toFailureEvent(input)
        : toToolHookEvent(event, input, () => parseCopilotOutcome(input));
    return hookEvent.type === 'called'
      ? { ...hookEvent, isReplyComplete: true }
      : addReply(hookEvent, getStringField(input, 'timestamp') || undefined);
  },
  answer(_, { kind, ...decision }) {
    const text = 'text' in decision ? `${governorNotePrefix} ${decision.text}` : '';
    switch (kind) {
      case 'nothing':
        return null;
      case 'advise':
        return { additionalContext: text };
      case 'deny':
      case 'stop':
        return { permissionDecision: 'deny', permissionDecisionReason: text };
      default:
        return kind satisfies never;
    }
  },
  interruptible: { name: 'copilot', subcommands: ['-p', '--prompt'] },
};

function parseCopilotOutcome(input: JsonFields): HookOutcome {
  const result = toJsonFields(getOwnField(input, 'tool_result')) ?? {};
  const isFailure = getStringField(result, 'result_type') === 'failure';
  return {
    ok: isFailure ? false : undefined,
    output: toOutputText(getOwnField(result, 'text_result_for_llm')),
  };
}

/** The coding agents that Pawl can govern through their hooks. */
export const hookHosts: readonly HookHost[] = [
  claudeHost,
  codexHost,
  geminiHost,
  qwenHost,
  opencodeHost,
  copilotHost,
  cursorHost,
  clineHost,
];
