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
  relative: 'The sandbox needs an absolute path',
  missing: 'The sandbox cannot mount a path that does not exist',
  home: 'The sandbox does not expose a folder that contains the home folder',
};

const sandboxErrorAdvice: Record<SandboxErrorCode, string> = {
  relative: 'Start it with /.',
  missing: 'Create it first, or omit it.',
  home: 'Work in a folder inside it, so that keys and passwords stay hidden.',
};
