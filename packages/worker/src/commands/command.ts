import type { Unstamped } from '@pawl/runtime';

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
  | { readonly kind: 'resume' };

/** What a command comes to in the session. */
export function eventFor(command: SessionCommand): Unstamped {
  switch (command.kind) {
    case 'say':
      // Said to one who waits, it is a message like any other.
      return { type: 'steered', text: command.text };
    case 'decide': {
      const { kind: _, ...decided } = command;
      return { type: 'permission-decided', ...decided };
    }
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
    default:
      return command satisfies never;
  }
}

const text = (value: unknown): value is string => typeof value === 'string';
const maybe = (value: unknown, is: (given: unknown) => boolean): boolean => value === undefined || is(value);

type Fields = Readonly<Record<string, unknown>>;

const checks: Readonly<Record<SessionCommand['kind'], (fields: Fields) => boolean>> = {
  say: (fields) => text(fields['text']),
  decide: (fields) =>
    text(fields['callId']) &&
    (fields['decision'] === 'allow' || fields['decision'] === 'deny') &&
    maybe(fields['reason'], text) &&
    maybe(fields['request'], Number.isSafeInteger),
  cancel: (fields) => maybe(fields['reason'], text),
  finish: (fields) => text(fields['reason']),
  halt: (fields) => text(fields['reason']),
  pause: (fields) => text(fields['reason']),
  resume: () => true,
};

/** Null for what is no command: whoever may write to Redis may have written anything. */
export function readCommand(json: string): SessionCommand | null {
  try {
    const value = JSON.parse(json) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const fields = value as Fields;
    const { kind } = fields;
    if (!text(kind) || !Object.hasOwn(checks, kind)) return null;
    return checks[kind as SessionCommand['kind']](fields) ? (fields as SessionCommand) : null;
  } catch {
    return null;
  }
}
