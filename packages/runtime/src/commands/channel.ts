import { named, StoreError } from '../store/store-error.ts';
import { readCommand, type SessionCommand } from './command.ts';

/**
 * What people ask of sessions, kept in order until it is carried out. A command that leads to an event is taken away by the
 * store in the same transaction that keeps the event: none gets lost and none is carried out twice.
 */
export type CommandChannel = {
  /** Resolves, once it is kept, to its id. */
  send(session: string, command: SessionCommand, options?: SendOptions): Promise<string>;
  /** The oldest first, a hundred at most. Nothing waits for a session that is not there. */
  waiting(session: string): Promise<readonly Waiting[]>;
  /**
   * For a command that changes nothing in the session, and so leads to no event. With `fence`, it is refused if somebody has
   * claimed the session since the claim of that number: whoever has lost the session can no longer tell what changes nothing.
   */
  drop(session: string, id: string, fence?: number): Promise<void>;
};

export type SendOptions = {
  /**
   * Made up by whoever asks, so that asking again is safe: what is sent again under the same id is still the first command,
   * even after that was carried out. A session remembers the last thousand ids.
   */
  readonly requestId?: string;
};

/** Null for a command that nobody can read. */
export type Waiting = { readonly id: string; readonly command: SessionCommand | null };

export const commandLimits = {
  /** How many may wait for one session: more than anybody asks for before somebody gets to it. */
  waiting: 1_000,
  /** How many `waiting` gives at once. */
  told: 100,
  /** How many request ids are remembered for each session. */
  requests: 1_000,
  /** How long a command may be, as JSON. */
  characters: 1_000_000,
  requestIdCharacters: 200,
} as const;

/** The command as it is kept. Throws if nobody could read it on the other side, or if it is too long. */
export function commandText(
  session: string,
  command: SessionCommand,
  { requestId }: SendOptions = {},
): string {
  const { characters, requestIdCharacters } = commandLimits;
  const text = JSON.stringify(command);
  const refuse = (reason: string): never => {
    throw new StoreError('invalid', named(session), reason);
  };
  if (readCommand(text) === null) refuse('this is not a command');
  if (text.length > characters) refuse(`a command has ${characters} characters at most`);
  if (requestId !== undefined && !isFit(requestId))
    refuse(`a request id has 1 to ${requestIdCharacters} characters`);
  return text;
}

/** Some stores replace half a surrogate pair with another character: then two ids could become the same. */
function isFit(requestId: string): boolean {
  const { length } = requestId;
  return length > 0 && length <= commandLimits.requestIdCharacters && requestId.isWellFormed();
}

export function tooManyWait(session: string): StoreError {
  return new StoreError('full', named(session), `${commandLimits.waiting} commands wait for it already`);
}
