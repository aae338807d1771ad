import type { Json } from '@pawl/core';
import { toJsonFields, getOwnField, getStringField, type JsonFields } from '../json-fields.ts';
import { loadGovernor } from './load-governor.ts';
import type { HookCall, HookOutcome, HookDecision } from './hook-state.ts';

/** An event that a host reports through a hook. */
export type HookEvent =
  | { readonly type: 'prompted' }
  | { readonly type: 'calling'; readonly call: HookCall }
  | { readonly type: 'called'; readonly call: HookCall; readonly outcome: HookOutcome }
  /** The host is about to call the model; tool selection can still be prevented. */
  | { readonly type: 'choosing' }
  | { readonly type: 'ended' }
  /** An event that is irrelevant to progress. */
  | { readonly type: 'other' };

/** Hook input in a host-independent form. */
export type HostHookInput = {
  readonly session: string;
  /** The sub-agent; empty for the main agent. */
  readonly agent: string;
  readonly event: string;
  readonly fact: HookEvent;
};

/** The hook protocol of one host. */
export type HookHost = {
  readonly name: 'claude' | 'codex' | 'gemini';
  readonly title: string;
  readonly factIn: (event: string, given: JsonFields) => HookEvent;
  /** The answer in the host's format; null for no answer. */
  readonly answer: (event: string, word: HookDecision) => Json;
};

export function parseHookCall(given: JsonFields): HookCall {
  return { tool: getStringField(given, 'tool_name'), args: getOwnField(given, 'tool_input') ?? null };
}

/** Parses and validates hook input. Throws an error that says what is wrong with it. */
export function parseHookInput(host: HookHost, text: string): HostHookInput {
  const given = toJsonFields(parseHookJson(text));
  if (given === null) throw new TypeError('The hook expects one JSON object on its standard input.');
  const session = getStringField(given, 'session_id');
  const event = getStringField(given, 'hook_event_name');
  if (session === '' || event === '') {
    throw new TypeError(
      `The hook expects session_id and hook_event_name, as ${host.title} sends them, and got ${Object.keys(given).slice(0, 8).join(', ') || 'neither'}.`,
    );
  }
  return { session, agent: getStringField(given, 'agent_id'), event, fact: host.factIn(event, given) };
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
      : loadGovernor().formatToolOutput(value);
}
