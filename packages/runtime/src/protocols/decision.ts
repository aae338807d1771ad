import type { RequestedCall } from '@pawl/core';

/** What a model sent: its text, and the calls that its provider has already told apart from the text. */
export type Reply = { readonly text: string; readonly calls: readonly RequestedCall[] };

/** What is wrong with a reply: what, where in the reply, and what to do about it. Written for the model. */
export type Problem = { readonly what: string; readonly where: string; readonly hint: string };

/** What a model has to say in any protocol. */
export type Said = {
  /** The prose around the protocol, trimmed. */
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  /** The state the model wants to go to, trimmed and otherwise as it was written: the chart knows which there are. */
  readonly nextState: string | null;
  readonly logs: { readonly think: string | null; readonly evaluation: string | null };
  /** The final answer, when the model says that this is one; null while it goes on. */
  readonly answer: string | null;
};

/** What a reply comes to. With a problem nothing of it is to be carried out: no call, no change of state, no answer. */
export type ModelDecision = Said & {
  /** Empty when the reply is well formed. */
  readonly problems: readonly Problem[];
  /** Whether the reply shows any sign of the protocol it was read in. Prose does not. */
  readonly isTraced: boolean;
};

export const nothingSaid: Said = {
  text: '',
  calls: [],
  nextState: null,
  logs: { think: null, evaluation: null },
  answer: null,
};

type Draft = {
  readonly said: Said;
  readonly problems: readonly Problem[];
  readonly isTraced: boolean;
  /** How many calls one reply may make. */
  readonly callsMax: number;
};

/** A reply of nothing but broken tags has as many problems as tags; nobody reads them all. */
const problemsMax = 20;

/** The rules that hold in every protocol: no half of a reply is carried out, and a call wins over the rest. */
export function settle({ said, problems, isTraced, callsMax }: Draft): ModelDecision {
  const found = [...problems, ...tooMany(said.calls.length, callsMax)];
  if (found.length === 0 && isSilent(said)) found.push(silence);
  if (found.length > 0) {
    return {
      ...said,
      calls: [],
      nextState: null,
      answer: null,
      problems: found.slice(0, problemsMax),
      isTraced,
    };
  }
  if (said.calls.length > 0) return { ...said, nextState: null, answer: null, problems: [], isTraced };
  return { ...said, problems: [], isTraced };
}

function isSilent({ calls, nextState, logs, answer }: Said): boolean {
  return calls.length === 0 && (nextState ?? logs.think ?? logs.evaluation ?? answer) === null;
}

const silence: Problem = {
  what: 'it says nothing that can be acted on',
  where: 'the whole reply',
  hint: 'Say what to do next, in the format that was asked for.',
};

function tooMany(count: number, callsMax: number): readonly Problem[] {
  if (count <= callsMax) return [];
  return [
    {
      what: `there are ${count} actions, and a reply may have ${callsMax}`,
      where: 'the whole reply',
      hint: 'Send the first one now and the others in later replies.',
    },
  ];
}
