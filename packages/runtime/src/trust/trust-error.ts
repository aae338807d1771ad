export type TrustErrorCode = 'missing' | 'unsafe' | 'unreadable' | 'unwritable';

/** A trust record cannot be read or written. The message is one line: what, where and what to do. */
export class TrustError extends Error {
  override readonly name = 'TrustError';
  readonly code: TrustErrorCode;
  readonly path: string;

  constructor(code: TrustErrorCode, path: string, cause?: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    super(`${trustErrorText[code]}: ${JSON.stringify(path)}${reason}. ${trustErrorAdvice[code]}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const trustErrorText: Record<TrustErrorCode, string> = {
  missing: 'There is no such folder to trust',
  unsafe: 'Others can change what you trust',
  unreadable: 'What you trust cannot be read',
  unwritable: 'What you trust cannot be kept',
};

const trustErrorAdvice: Record<TrustErrorCode, string> = {
  missing: 'Check the spelling.',
  unsafe: 'Make it yours alone, with chmod go-w, or remove it.',
  unreadable: 'Give yourself the right to read it, or remove it.',
  unwritable: 'Make room on the disk or give yourself the right to write there.',
};
