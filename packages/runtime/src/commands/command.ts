import type { Event } from '@pawl/core';
import { memoryCommands, type MemoryCommand } from '@pawl/core/memory';
import type { UnstampedEvent } from '../ports/agent-ports.ts';

/** A command that a person sends to a running session, possibly in another process. */
export type SessionCommand =
  | { readonly kind: 'say'; readonly text: string }
  /** `request` selects the request if a model used the same call id twice. */
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
  /** `key` is the full key of a working memory entry. */
  | { readonly kind: 'memory'; readonly action: MemoryCommand; readonly key: string };

/** Creates the event that carries out a command. Only the fields of the command's kind are copied. */
export function createCommandEvent(command: SessionCommand): UnstampedEvent {
  switch (command.kind) {
    case 'say':
      // A session that waits for the user treats steering as a regular user message.
      return { type: 'steered', text: command.text };
    case 'decide':
      return createPermissionEvent(command);
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
      return { type: 'memory-command-requested', action: command.action, key: command.key };
    default:
      return command satisfies never;
  }
}

function createPermissionEvent({
  callId,
  decision,
  reason,
  request,
}: Extract<SessionCommand, { kind: 'decide' }>): UnstampedEvent {
  return {
    type: 'permission-decided',
    callId,
    decision,
    ...(reason !== undefined && { reason }),
    ...(request !== undefined && { request }),
  };
}

type RawCommand = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isAbsentOrValid = (isValid: (value: unknown) => boolean, value: unknown): boolean =>
  value === undefined || isValid(value);

const commandValidators: Readonly<Record<SessionCommand['kind'], (fields: RawCommand) => boolean>> = {
  say: ({ text }) => isText(text),
  decide: ({ callId, decision, reason, request }) =>
    isText(callId) &&
    (decision === 'allow' || decision === 'deny') &&
    isAbsentOrValid(isText, reason) &&
    isAbsentOrValid(Number.isSafeInteger, request),
  cancel: ({ reason }) => isAbsentOrValid(isText, reason),
  finish: ({ reason }) => isText(reason),
  halt: ({ reason }) => isText(reason),
  pause: ({ reason }) => isText(reason),
  resume: () => true,
  phase: ({ number, description }) =>
    Number.isSafeInteger(number) && Number(number) >= 1 && isText(description),
  memory: ({ action, key }) => memoryCommands.some((name) => name === action) && isText(key),
};

/** Returns null for invalid commands, because any process with access to the store may have written them. */
export function parseCommand(json: string): SessionCommand | null {
  try {
    const value = JSON.parse(json) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const fields = value as RawCommand;
    const { kind } = fields;
    if (!isText(kind) || !Object.hasOwn(commandValidators, kind)) return null;
    return commandValidators[kind as SessionCommand['kind']](fields) ? (fields as SessionCommand) : null;
  } catch {
    return null;
  }
}

/** A symbol key, so that it is not serialized with the event. */
const executedCommandKey = Symbol('the command that this event carries out');

/** Marks an event so that the store removes the command in the transaction that persists the event. */
export function markExecutedCommand<Kind extends object>(event: Kind, command: string): Kind {
  return { ...event, [executedCommandKey]: command };
}

/** Returns the id of the command that an event carries out, if any. */
export function getExecutedCommand(event: Event): string | undefined {
  const command: unknown = Reflect.get(event, executedCommandKey);
  return typeof command === 'string' ? command : undefined;
}
