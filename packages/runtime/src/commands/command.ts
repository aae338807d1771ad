import { memoryWishes, type MemoryWish } from '@pawl/core';
import type { Unstamped } from '../work.ts';

/** What a person may ask of a session that runs somewhere else. */
export type SessionCommand =
  | { readonly kind: 'say'; readonly text: string }
  /** `request` says which question this answers, where a model uses the id of a call twice. */
  | {
      readonly kind: 'decide';
      readonly callId: string;
      readonly decision: 'allow' | 'deny';
      readonly reason?: string;
      readonly request?: number;
    }
  | { readonly kind: 'cancel'; readonly reason?: string }
  | { readonly kind: 'finish'; readonly reason: string }
  | { readonly kind: 'halt'; readonly reason: string }
  | { readonly kind: 'pause'; readonly reason: string }
  | { readonly kind: 'resume' }
  | { readonly kind: 'phase'; readonly number: number; readonly description: string }
  /** `key` is the whole key of an entry of working memory. */
  | { readonly kind: 'memory'; readonly action: MemoryWish; readonly key: string };

/** The event that carries a command out. Only the fields of its kind get into it. */
export function eventFor(command: SessionCommand): Unstamped {
  switch (command.kind) {
    case 'say':
      // A session that waits for the user takes it for a message like any other.
      return { type: 'steered', text: command.text };
    case 'decide':
      return decided(command);
    case 'cancel':
      return { type: 'cancel-requested', ...(command.reason !== undefined && { reason: command.reason }) };
    case 'finish':
      return { type: 'finish-requested', reason: command.reason };
    case 'halt':
      return { type: 'halt-requested', reason: command.reason };
    case 'pause':
      return { type: 'pause-requested', reason: command.reason };
    case 'resume':
      return { type: 'resume-requested' };
    case 'phase':
      return { type: 'phase-started', number: command.number, description: command.description };
    case 'memory':
      return { type: 'memory-asked', action: command.action, key: command.key };
    default:
      return command satisfies never;
  }
}

function decided({
  callId,
  decision,
  reason,
  request,
}: Extract<SessionCommand, { kind: 'decide' }>): Unstamped {
  return {
    type: 'permission-decided',
    callId,
    decision,
    ...(reason !== undefined && { reason }),
    ...(request !== undefined && { request }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isMissingOr = (is: (given: unknown) => boolean, value: unknown): boolean =>
  value === undefined || is(value);

const checks: Readonly<Record<SessionCommand['kind'], (fields: Fields) => boolean>> = {
  say: ({ text }) => isText(text),
  decide: ({ callId, decision, reason, request }) =>
    isText(callId) &&
    (decision === 'allow' || decision === 'deny') &&
    isMissingOr(isText, reason) &&
    isMissingOr(Number.isSafeInteger, request),
  cancel: ({ reason }) => isMissingOr(isText, reason),
  finish: ({ reason }) => isText(reason),
  halt: ({ reason }) => isText(reason),
  pause: ({ reason }) => isText(reason),
  resume: () => true,
  phase: ({ number, description }) =>
    Number.isSafeInteger(number) && Number(number) >= 1 && isText(description),
  memory: ({ action, key }) => memoryWishes.some((wish) => wish === action) && isText(key),
};

/** Null for what is not a command: whoever can write to a store may have written anything. */
export function readCommand(json: string): SessionCommand | null {
  try {
    const value = JSON.parse(json) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const fields = value as Fields;
    const { kind } = fields;
    if (!isText(kind) || !Object.hasOwn(checks, kind)) return null;
    return checks[kind as SessionCommand['kind']](fields) ? (fields as SessionCommand) : null;
  } catch {
    return null;
  }
}
