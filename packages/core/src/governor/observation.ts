import type { ToolErrorKind } from '../conversation/message.ts';
import type { Json } from '../json.ts';
import { canonical } from './canonical.ts';
import { digest } from './digest.ts';
import { errorClass, meaningOf } from './outcome-text.ts';

/** What is known of one tool call once it has ended. */
export type CallFacts = {
  /** The number of the event, or of the recorded step, that proves it. */
  readonly seq: number;
  readonly tool: string;
  readonly args: Json;
  /** A fingerprint of the whole arguments, for those who have only a part of them. */
  readonly argsHash?: string | undefined;
  readonly ok: boolean;
  /** What the tool said: its output, or its error. */
  readonly said: string;
  /** A fingerprint of all it said, for those who have only a part of it. */
  readonly saidHash?: string | undefined;
  readonly errorKind?: ToolErrorKind;
};

/**
 * One tool call with its outcome, reduced to fingerprints. Two observations with the same `call` asked for the same
 * thing; with the same `outcome` they were told the same thing.
 */
export type Observation = {
  readonly seq: number;
  readonly tool: string;
  readonly call: string;
  readonly outcome: string;
  /** The class of the error, whatever the tool and the arguments; null for a success. */
  readonly error: string | null;
  /** Whether the tool said anything at all. */
  readonly mute: boolean;
};

export function observe(facts: CallFacts): Observation {
  const { seq, tool, ok, said, saidHash } = facts;
  return {
    seq,
    tool,
    call: callKey(tool, facts.args, facts.argsHash),
    outcome: `${ok ? 'ok' : 'error'} ${saidHash ?? meaningOf(said)}`,
    error: ok ? null : digest(errorClass(said)),
    mute: said.trim() === '',
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
 * Whether an outcome tells something about the work. A person's no, a call that was called off, and what we ourselves
 * refused to run say nothing about whether it moves.
 */
export function counts(kind: ToolErrorKind | undefined): boolean {
  return kind === undefined || kind === 'failed' || kind === 'timeout';
}
