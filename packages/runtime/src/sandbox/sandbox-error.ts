export type SandboxErrorCode = 'relative' | 'missing' | 'home';

/** A sandbox policy that cannot be applied. The message is one line: what, where and what to do. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code: SandboxErrorCode;
  readonly path: string;

  constructor(code: SandboxErrorCode, path: string, cause?: unknown) {
    super(`${sandboxErrorText[code]}: ${JSON.stringify(path)}. ${sandboxErrorAdvice[code]}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const sandboxErrorText: Record<SandboxErrorCode, string> = {
  relative: 'The sandbox needs a whole path',
  missing: 'The sandbox cannot show what is not there',
  home: 'The sandbox does not open a folder that holds the home folder',
};

const sandboxErrorAdvice: Record<SandboxErrorCode, string> = {
  relative: 'Begin it with /.',
  missing: 'Make it first, or leave it out.',
  home: 'Work in a folder inside it, so that keys and passwords stay hidden.',
};
