import { formatSessionLabel, StoreError } from '../store/store-error.ts';
import { parseCommand, type SessionCommand } from './command.ts';

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
  waiting: 1_000,
  /** Maximum number of commands that `waiting` returns. */
  told: 100,
  /** Number of request ids remembered per session. */
  requests: 1_000,
  /** Maximum length of a command as JSON. */
  characters: 1_000_000,
  requestIdCharacters: 200,
} as const;

/** Serializes a command for storage. Throws if it is invalid or too long. */
export function serializeCommand(
  session: string,
  command: SessionCommand,
  { requestId }: SendCommandOptions = {},
): string {
  const { characters, requestIdCharacters } = commandLimits;
  const text = JSON.stringify(command);
  const refuse = (reason: string): never => {
    throw new StoreError('invalid', formatSessionLabel(session), reason);
  };
  if (parseCommand(text) === null) refuse('this is not a command');
  if (text.length > characters) refuse(`a command has ${characters} characters at most`);
  if (requestId !== undefined && !isValidRequestId(requestId))
    refuse(`a request id has 1 to ${requestIdCharacters} characters`);
  return text;
}

/** Rejects lone surrogates: some stores replace them, which could make two ids equal. */
function isValidRequestId(requestId: string): boolean {
  const { length } = requestId;
  return length > 0 && length <= commandLimits.requestIdCharacters && requestId.isWellFormed();
}

export function createQueueFullError(session: string): StoreError {
  return new StoreError(
    'full',
    formatSessionLabel(session),
    `${commandLimits.waiting} commands wait for it already`,
  );
}
