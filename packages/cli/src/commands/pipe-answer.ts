import { createSession, step, taken } from '@pawl/core';
import type { Note, Profile, Session, Step, TurnStatus } from '@pawl/core';
import { parseEvent, printAction, printState } from '@pawl/runtime';
import type { PrintedAction, PrintedState } from '@pawl/runtime';
import { visibleLine } from '../visible.ts';
import type { Line } from './pipe-lines.ts';

/** How much of the state an answer holds. */
export const stateForms = ['compact', 'full', 'status'] as const;
export type StateForm = (typeof stateForms)[number];

export type Answer =
  | {
      readonly ok: true;
      readonly seq: number;
      /** Why the event was not taken; absent if it was. */
      readonly refused?: string;
      readonly state: PrintedState | Session | TurnStatus;
      readonly actions: readonly PrintedAction[];
      readonly notes: readonly Note[];
    }
  | { readonly ok: false; readonly line: number; readonly error: string };

export type Machine = { readonly id: string; readonly profile: Profile; readonly form: StateForm };

/**
 * The answer to one line, and the session after it. There is none before the first event, whose time it starts at: so
 * lines that carry their times always get the same answers.
 */
export function answerLine(
  machine: Machine,
  session: Session | null,
  line: Line,
  now: () => number,
): { readonly session: Session | null; readonly answer: Answer } {
  const bad = (error: string) => ({ session, answer: { ok: false, line: line.number, error } as const });
  if ('error' in line) return bad(line.error);
  const json = parseJson(line.text);
  if ('error' in json) return bad(json.error);
  const parsed = parseEvent(withTime(json.value, now));
  if (!parsed.ok) return bad(parsed.error);
  const after = step(session ?? begin(machine, parsed.event.at), parsed.event);
  return { session: after.session, answer: answerTo(after, machine.form, parsed.event.at) };
}

function parseJson(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The line that the parser counts is always the first; ours is named beside the error.
    return { error: `not JSON: ${visibleLine(reason.replace(/ \(line 1 column \d+\)$/, ''))}` };
  }
}

/** An event without a time happened when it arrived. */
function withTime(value: unknown, now: () => number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.hasOwn(value, 'at') ? value : { ...value, at: now() };
}

function begin({ id, profile }: Machine, at: number): Session {
  return createSession({ id, at, profile: profile.name, settings: profile.settings });
}

function answerTo(after: Step, form: StateForm, at: number): Answer {
  const { session, actions, notes } = after;
  const how = taken(after);
  return {
    ok: true,
    seq: session.seq,
    ...(how.ok ? {} : { refused: how.error }),
    state: stateIn(form, session),
    actions: actions.map((action) => printAction(action, session, at)),
    notes,
  };
}

function stateIn(form: StateForm, session: Session): PrintedState | Session | TurnStatus {
  switch (form) {
    case 'compact':
      return printState(session);
    case 'full':
      return session;
    case 'status':
      return session.turn.status;
    default:
      return form satisfies never;
  }
}
