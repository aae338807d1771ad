import type { ToolErrorKind } from '../conversation/message.ts';
import type { Json } from '../json.ts';
import { canonical } from './canonical.ts';
import { changeOf, type Change, type FileEffect } from './change.ts';
import { digest } from './digest.ts';
import { errorClass, meaningOf } from './outcome-text.ts';
import { queryOf } from './query.ts';
import { isWaiting } from './waiting.ts';

/** What is known of one tool call once it has ended. */
export type CallFacts = {
  /** The number of the event, or of the recorded step, that proves it. */
  readonly seq: number;
  /** When it ended, for those who know. */
  readonly at?: number | undefined;
  readonly tool: string;
  readonly args: Json;
  /** A fingerprint of the whole arguments, for those who have only a part of them. */
  readonly argsHash?: string | undefined;
  readonly ok: boolean;
  /** What the tool said: its output, or its error. */
  readonly said: string;
  /** A fingerprint of all it said, for those who have only a part of it. */
  readonly saidHash?: string | undefined;
  /** Files the call left behind, for those who know; without it, what the arguments say is taken. */
  readonly files?: readonly FileEffect[] | undefined;
};

/**
 * One tool call with its outcome, reduced to fingerprints. Two observations with the same `call` asked for the same
 * thing; with the same `outcome` they were told the same thing.
 */
export type Observation = {
  /** `waiting` asks how something else is getting on, and hears that it is not done yet; all other calls are `work`. */
  readonly kind: 'work' | 'waiting';
  readonly seq: number;
  readonly at: number | null;
  readonly tool: string;
  readonly call: string;
  readonly outcome: string;
  /** The class of the error, whatever the tool and the arguments; null for a success. */
  readonly error: string | null;
  /** Whether the tool said anything at all. */
  readonly mute: boolean;
  /** What was searched for, however it was written; null when the call is no search. */
  readonly query: string | null;
  /** What a file held before and after; null when the call changed none, or nobody can say. */
  readonly change: Change | null;
};

export function observe(facts: CallFacts): Observation {
  const { seq, at = null, tool, args, ok, said, saidHash } = facts;
  return {
    kind: isWaiting(facts) ? 'waiting' : 'work',
    seq,
    at,
    tool,
    call: callKey(tool, args, facts.argsHash),
    outcome: `${ok ? 'ok' : 'error'} ${saidHash ?? meaningOf(said)}`,
    error: ok ? null : digest(errorClass(said)),
    mute: said.trim() === '',
    query: queryOf(args),
    change: ok ? changeOf(args, facts.files) : null,
  };
}

/** What a tool said, as text. Nested deeper than any answer is, it is told apart no further. */
export function textOf(output: Json): string {
  return typeof output === 'string' ? output : canonical(output);
}

/** What makes two calls the same call: the tool and its arguments, however they were written. */
export function callKey(tool: string, args: Json, argsHash?: string): string {
  return digest(`${tool} ${argsHash ?? canonical(args)}`);
}

/**
 * Whether an outcome tells something about the work. What was called off or never started does not; what was denied is
 * looked at when it is denied.
 */
export function counts(kind: ToolErrorKind | undefined): boolean {
  return kind === undefined || kind === 'failed' || kind === 'timeout';
}
