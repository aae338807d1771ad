import { unpaused, type Call, type Session } from '@pawl/core';
import type { SessionCommand } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { wholeNumber } from './option-number.ts';
import type { Told } from './tell.ts';
import { tellings, type Telling } from './tellings.ts';

/** The command that words on the command line stand for, to a session as it is now. */
export function commandOf(told: Told, session: Session, reason: string | undefined): SessionCommand {
  if (!Object.hasOwn(makers, told.what)) {
    const known = Object.keys(tellings).join(', ');
    throw new UsageError(
      `There is no ${JSON.stringify(visibleLine(told.what))} to tell. There are: ${known}.`,
    );
  }
  return makers[told.what as Telling](told, session, reason);
}

type Maker = (told: Told, session: Session, reason: string | undefined) => SessionCommand;

const makers: Readonly<Record<Telling, Maker>> = {
  say: (told) => ({ kind: 'say', text: textOf(told) }),
  allow: decide('allow'),
  deny: decide('deny'),
  pause: wish('pause'),
  resume: (told) => alone(told, { kind: 'resume' }),
  finish: wish('finish'),
  cancel: (told, _, reason) => alone(told, { kind: 'cancel', ...given(reason) }),
  halt: wish('halt'),
  phase: ({ what, words: [number = '', ...words] }) => ({
    kind: 'phase',
    number: wholeNumber('The number of a phase', number, 1),
    description: textOf({ what, words }),
  }),
  pin: (told) => ({ kind: 'memory', action: 'pin', key: textOf(told) }),
  unpin: (told) => ({ kind: 'memory', action: 'unpin', key: textOf(told) }),
  evict: (told) => ({ kind: 'memory', action: 'evict', key: textOf(told) }),
};

function decide(decision: 'allow' | 'deny'): Maker {
  return (told, session, reason) => ({
    kind: 'decide',
    decision,
    ...questionIn(session, oneWord(told)),
    ...given(reason),
  });
}

function wish(kind: 'pause' | 'finish' | 'halt'): Maker {
  return (told, _, reason = 'the user asked for it') => alone(told, { kind, reason });
}

function given(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

function textOf({ what, words }: Told): string {
  const text = words.join(' ').trim();
  if (text === '') throw new UsageError(`${what} needs ${tellings[what as Telling]}.`);
  return text;
}

/** Nothing may follow it. */
function alone({ what, words }: Told, command: SessionCommand): SessionCommand {
  if (words.length === 0) return command;
  throw new UsageError(`${what} takes nothing more; say why with --reason.`);
}

function oneWord({ what, words: [word, another] }: Told): string | null {
  if (another === undefined) return word ?? null;
  throw new UsageError(`${what} takes the id of one call; say why with --reason.`);
}

type Question = { readonly callId: string; readonly request?: number };

/** The call that is meant: the one named, or the only one that is asked about. Its number keeps it from answering another. */
function questionIn({ id, turn }: Session, word: string | null): Question {
  const held = unpaused(turn);
  const asked = held.status === 'awaitingPermission' ? held : null;
  const pending = (asked?.calls ?? []).filter(({ decision }) => decision === 'pending');
  const calls = pending.map(({ call }) => call);
  if (asked === null || calls.length === 0) throw new UsageError(`Session ${id} asks about no call now.`);
  const [only, another] = calls;
  if (word === null && only !== undefined && another === undefined)
    return { callId: only.id, request: asked.request };
  const meant = calls.find((call) => call.id === word);
  if (meant !== undefined) return { callId: meant.id, request: asked.request };
  const which =
    word === null ? 'several calls; name one' : `other calls than ${JSON.stringify(visibleLine(word))}`;
  throw new UsageError(`Session ${id} asks about ${which}: ${calls.map(callText).join(', ')}.`);
}

function callText({ id, tool }: Call): string {
  return `${visibleLine(id)} (${visibleLine(tool)})`;
}
