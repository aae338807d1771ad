import type { Event } from '@pawl/core';
import { memoryCommands, type MemoryCommand } from '@pawl/core/memory';
import { formatSessionLabel, StoreError } from './store-error.ts';
import type { UnstampedEvent } from '../ports/agent-ports.ts';

/**
 * Durable FIFO queue of commands per session. The store removes a command in the same transaction that persists its
 * event, so that each command takes effect exactly once.
 */
export type CommandChannel = {
  /** Resolves to the command's id once the command is persisted. */
  send(session: string, command: SessionCommand, options?: SendCommandOptions): Promise<string>;
  /** Returns up to 100 commands, oldest first; none for an unknown session. */
  listPending(session: string): Promise<readonly PendingCommand[]>;
  /**
   * Removes a command that has no effect on the session and therefore persists no event. With `fence`, throws if the
   * session was claimed again since that claim, because a stale owner cannot know whether the command has an effect.
   */
  remove(session: string, id: string, fence?: number): Promise<void>;
};

export type SendCommandOptions = {
  /**
   * Idempotency key chosen by the sender: a command sent again with the same id returns the first command's id, even
   * after that command was executed. Each session remembers the last thousand ids.
   */
  readonly requestId?: string;
};

/** `command` is null if it cannot be parsed. */
export type PendingCommand = { readonly id: string; readonly command: SessionCommand | null };

export const commandLimits = {
  /** Maximum number of queued commands per session. */
  pendingMax: 1_000,
  /** Maximum number of commands that `listPending` returns. */
  listedMax: 100,
  /** Number of request ids remembered per session. */
  requestIdsMax: 1_000,
  /** Maximum length of a command as JSON. */
  lengthMax: 1_000_000,
  requestIdLengthMax: 200,
} as const;

/** Serializes a command for storage. Throws if it is invalid or too long. */
export function serializeCommand(
  session: string,
  command: SessionCommand,
  { requestId }: SendCommandOptions = {},
): string {
  const { lengthMax, requestIdLengthMax } = commandLimits;
  const text = JSON.stringify(command);
  const fail = (reason: string): never => {
    throw new StoreError('invalid', formatSessionLabel(session), reason);
  };
  if (parseCommand(text) === null) fail('the command is invalid');
  if (text.length > lengthMax) fail(`a command has at most ${lengthMax} characters`);
  if (requestId !== undefined && !isValidRequestId(requestId))
    fail(`a request id has 1 to ${requestIdLengthMax} characters`);
  return text;
}

/** Rejects lone surrogates: some stores replace them, which could make two ids equal. */
function isValidRequestId(requestId: string): boolean {
  const { length } = requestId;
  return length > 0 && length <= commandLimits.requestIdLengthMax && requestId.isWellFormed();
}

export function createQueueFullError(session: string): StoreError {
  return new StoreError(
    'full',
    formatSessionLabel(session),
    `${commandLimits.pendingMax} commands are already pending`,
  );
}

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
