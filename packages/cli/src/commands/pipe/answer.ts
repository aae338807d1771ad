import type { Profile } from '@pawl/core/profiles';
import {
  createSession,
  getStepOutcome,
  type Note,
  type Session,
  step,
  type TurnStatus,
  type SessionStep,
} from '@pawl/core';
import {
  parseEvent,
  printAction,
  type PrintedAction,
  type PrintedState,
  printState,
} from '@pawl/runtime/schema';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import type { InputLine } from './lines.ts';

export const stateFormats = ['compact', 'full', 'status'] as const;
export type StateFormat = (typeof stateFormats)[number];

export type PipeAnswer =
  | {
      readonly ok: true;
      readonly seq: number;
      /** Why the event was refused; absent if it was accepted. */
      readonly refused?: string;
      readonly state: PrintedState | Session | TurnStatus;
      readonly actions: readonly PrintedAction[];
      readonly notes: readonly Note[];
    }
  | { readonly ok: false; readonly line: number; readonly error: string };

export type PipeMachine = { readonly id: string; readonly profile: Profile; readonly format: StateFormat };

/**
 * Answers one line and returns the next session. The session is created at the time of the first event, so input with
 * timestamps always gets the same answers.
 */
export function answerLine(
  machine: PipeMachine,
  session: Session | null,
  line: InputLine,
  now: () => number,
): { readonly session: Session | null; readonly answer: PipeAnswer } {
  const reject = (error: string) => ({ session, answer: { ok: false, line: line.number, error } as const });
  if ('error' in line) return reject(line.error);
  const json = parseLineJson(line.text);
  if ('error' in json) return reject(json.error);
  const parsed = parseEvent(addEventTime(json.value, now));
  if (!parsed.ok) return reject(parsed.error);
  const after = step(session ?? createPipeSession(machine, parsed.event.at), parsed.event);
  return { session: after.session, answer: toPipeAnswer(after, machine.format, parsed.event.at) };
}

function parseLineJson(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The parser's line number is always 1; the actual line number is reported beside the error.
    return { error: `not JSON: ${sanitizeOneLine(reason.replace(/ \(line 1 column \d+\)$/, ''))}` };
  }
}

/** An event without a timestamp gets its arrival time. */
function addEventTime(value: unknown, now: () => number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.hasOwn(value, 'at') ? value : { ...value, at: now() };
}

function createPipeSession({ id, profile }: PipeMachine, at: number): Session {
  return createSession({ id, at, profile: profile.name, settings: profile.settings });
}

function toPipeAnswer(after: SessionStep, format: StateFormat, at: number): PipeAnswer {
  const { session, actions, notes } = after;
  const outcome = getStepOutcome(after);
  return {
    ok: true,
    seq: session.seq,
    ...(outcome.ok ? {} : { refused: outcome.error }),
    state: formatState(format, session),
    actions: actions.map((action) => printAction(action, session, at)),
    notes,
  };
}

function formatState(format: StateFormat, session: Session): PrintedState | Session | TurnStatus {
  switch (format) {
    case 'compact':
      return printState(session);
    case 'full':
      return session;
    case 'status':
      return session.turn.status;
    default:
      return format satisfies never;
  }
}
