import type { Json } from '@pawl/core';
import { fieldsOf, own, textIn, type Fields } from '../json-fields.ts';
import { governor } from './governor.ts';
import type { HookCall, HookOutcome, Word } from './mind.ts';

/** Something a host tells through a hook. */
export type HookFact =
  | { readonly type: 'prompted' }
  | { readonly type: 'calling'; readonly call: HookCall }
  | { readonly type: 'called'; readonly call: HookCall; readonly outcome: HookOutcome }
  /** The model is about to be asked, and may still be kept from choosing tools. */
  | { readonly type: 'choosing' }
  | { readonly type: 'ended' }
  /** Nothing that has to do with whether the work moves. */
  | { readonly type: 'other' };

/** What a hook is told, whichever the host. */
export type HookInput = {
  readonly session: string;
  /** The sub-agent; empty for the agent itself. */
  readonly agent: string;
  readonly event: string;
  readonly fact: HookFact;
};

/** How one host speaks with its hooks. */
export type Host = {
  readonly name: 'claude' | 'codex' | 'gemini';
  readonly title: string;
  readonly factIn: (event: string, given: Fields) => HookFact;
  /** The answer in the host's own form; null says nothing. */
  readonly answer: (event: string, word: Word) => Json;
};

export function callIn(given: Fields): HookCall {
  return { tool: textIn(given, 'tool_name'), args: own(given, 'tool_input') ?? null };
}

/** What a hook was told, checked. Throws one error that says what is wrong with it. */
export function readInput(host: Host, text: string): HookInput {
  const given = fieldsOf(parsed(text));
  if (given === null) throw new TypeError('The hook expects one JSON object on its standard input.');
  const session = textIn(given, 'session_id');
  const event = textIn(given, 'hook_event_name');
  if (session === '' || event === '') {
    throw new TypeError(
      `The hook expects session_id and hook_event_name, as ${host.title} sends them, and got ${Object.keys(given).slice(0, 8).join(', ') || 'neither'}.`,
    );
  }
  return { session, agent: textIn(given, 'agent_id'), event, fact: host.factIn(event, given) };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** What a tool said, as text. */
export function saidIn(value: Json | undefined): string {
  return value === undefined || value === null
    ? ''
    : typeof value === 'string'
      ? value
      : governor().textOf(value);
}
