export type StoreErrorCode =
  | 'busy'
  | 'conflict'
  | 'damaged'
  | 'full'
  | 'held'
  | 'invalid'
  | 'missing'
  | 'newer'
  | 'unreadable';

/** A failed store operation. The message is one line: what failed, where, why and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  /** `where` is the label of a session or a file. */
  constructor(code: StoreErrorCode, where: string, reason?: string, cause?: unknown) {
    const because = reason === undefined ? '' : ` (${reason})`;
    super(`${storeErrorText[code]}: ${where}${because}. ${storeErrorAdvice[code]}`, { cause });
    this.code = code;
  }
}

/** Formats a session id for messages. */
export function formatSessionLabel(id: string): string {
  return `session ${JSON.stringify(id.length > 200 ? `${id.slice(0, 200)}…` : id)}`;
}

const storeErrorText: Record<StoreErrorCode, string> = {
  busy: 'The store is busy',
  conflict: 'The session has moved on',
  damaged: 'The session is damaged',
  full: 'There is no room for more',
  held: 'Someone else holds the session',
  invalid: 'The store cannot take this',
  missing: 'There is no such session',
  newer: 'This was written by a newer version of Pawl',
  unreadable: 'The store cannot be used',
};

const storeErrorAdvice: Record<StoreErrorCode, string> = {
  busy: 'Try again; if another process keeps it locked, end that one.',
  conflict: 'Open it again and go on from where it stands.',
  damaged: 'It is kept apart as it is, and the others go on; put it back from a copy, or remove it.',
  full: 'Nothing of it was kept. Make room, then open the session and go on.',
  held: 'Leave it to them, or claim it.',
  invalid:
    'Give plain JSON (finite numbers, texts, lists and objects), and names and numbers within their limits.',
  missing: 'List the sessions to see their ids.',
  newer: 'Update Pawl.',
  unreadable: 'Check that it is there, that it is a store of Pawl, and that you may read and write it.',
};
