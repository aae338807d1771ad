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
    const suffix = reason === undefined ? '' : ` (${reason})`;
    super(`${storeErrorText[code]}: ${where}${suffix}. ${storeErrorAdvice[code]}`, { cause });
    this.code = code;
  }
}

/** Formats a session id for messages. */
export function formatSessionLabel(id: string): string {
  return `session ${JSON.stringify(id.length > 200 ? `${id.slice(0, 200)}…` : id)}`;
}

const storeErrorText: Record<StoreErrorCode, string> = {
  busy: 'The store is busy',
  conflict: 'The session has changed in the meantime',
  damaged: 'The session is damaged',
  full: 'The store is full',
  held: 'Another owner holds the session',
  invalid: 'The value cannot be stored',
  missing: 'There is no such session',
  newer: 'This was written by a newer version of Pawl',
  unreadable: 'The store cannot be used',
};

const storeErrorAdvice: Record<StoreErrorCode, string> = {
  busy: 'Try again; if another process keeps it locked, stop that process.',
  conflict: 'Open it again and continue from its current state.',
  damaged:
    'It is left unchanged, and other sessions are not affected; restore it from a backup, or remove it.',
  full: 'Nothing was stored. Free some space, then open the session again.',
  held: 'Leave it to that owner, or claim it.',
  invalid:
    'Use plain JSON (finite numbers, strings, arrays and objects), and names and numbers within their limits.',
  missing: 'List the sessions to see their ids.',
  newer: 'Update Pawl.',
  unreadable:
    'Check that it exists, that it is a Pawl store, and that you have permission to read and write it.',
};
