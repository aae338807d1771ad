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
