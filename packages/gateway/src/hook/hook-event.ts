import type { Json } from '@pawl/governor';
import { formatToolOutput } from '@pawl/governor/hook';
import { toJsonFields, getOwnField, getStringField, type JsonFields } from '../json-fields.ts';
import type { InterruptibleProgram } from './interrupt-host.ts';
import type { HookCall, HookOutcome, HookDecision } from './hook-state.ts';

/** An event that a host reports through a hook. */
export type HookEvent =
  /** The user sent a message; its text is empty if the host does not report it. */
  | { readonly type: 'prompted'; readonly text: string }
  | { readonly type: 'calling'; readonly call: HookCall }
  | {
      readonly type: 'called';
      readonly call: HookCall;
      readonly outcome: HookOutcome;
      /** Whether the host has reported every call of the reply, so that further calls belong to later replies. */
      readonly isReplyComplete?: true;
    }
  /** The host is about to call the model; tool selection can still be prevented. */
  | { readonly type: 'choosing' }
  /** The host is about to call the model again after tool results; the turn can still be ended. */
  | { readonly type: 'continuing' }
  | { readonly type: 'ended' }
  /** An event that is irrelevant to progress. */
  | { readonly type: 'other' };

/** Hook input in a host-independent form. */
export type HostHookInput = {
  readonly session: string;
  /** The sub-agent; empty for the main agent. */
  readonly agent: string;
  readonly event: string;
  readonly hookEvent: HookEvent;
};

/** Which agent reports which event. */
export type HookIdentity = Omit<HostHookInput, 'hookEvent'>;

/** The hook protocol of one host. */
export type HookHost = {
  readonly name: 'claude' | 'codex' | 'gemini' | 'qwen' | 'opencode' | 'copilot' | 'cursor' | 'cline';
  readonly title: string;
  /** The names of the fields with the session and the event, if they are not those of Claude Code. */
  readonly identityFields?: string;
  /** Reads them; an empty string is a missing field. */
  readonly readIdentity?: (input: JsonFields) => HookIdentity;
  readonly parseEvent: (event: string, input: JsonFields) => HookEvent;
  /** The answer in the host's format; null for no answer. */
  readonly answer: (event: string, decision: HookDecision) => Json;
  /** Whether it reports each call of the model, before that call or after the calls of the reply before. */
  readonly reportsModelCalls?: true;
  /** The program to interrupt at a stop, for a host whose hooks cannot end a turn. */
  readonly interruptible?: InterruptibleProgram;
};

export function parseHookCall(input: JsonFields): HookCall {
  return { tool: getStringField(input, 'tool_name'), args: getOwnField(input, 'tool_input') ?? null };
}

/** Parses and validates hook input. Throws an error that says what is wrong with it. */
export function parseHookInput(host: HookHost, text: string): HostHookInput {
  const input = toJsonFields(parseHookJson(text));
  if (input === null) throw new TypeError('The hook expects one JSON object on its standard input.');
  const identity = (host.readIdentity ?? readClaudeIdentity)(input);
  if (identity.session === '' || identity.event === '') {
    const expected = host.identityFields ?? 'session_id and hook_event_name';
    throw new TypeError(
      `The hook expects ${expected}, as ${host.title} sends them, and got ${Object.keys(input).slice(0, 8).join(', ') || 'neither'}.`,
    );
  }
  return { ...identity, hookEvent: host.parseEvent(identity.event, input) };
}

function readClaudeIdentity(input: JsonFields): HookIdentity {
  return {
    session: getStringField(input, 'session_id'),
    agent: getStringField(input, 'agent_id'),
    event: getStringField(input, 'hook_event_name'),
  };
}

function parseHookJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

export function toOutputText(value: Json | undefined): string {
  return value === undefined || value === null
    ? ''
    : typeof value === 'string'
      ? value
      : formatToolOutput(value);
}
