export type WorkspaceErrorCode = 'missing' | 'not-a-folder' | 'unreadable';

/** The workspace folder cannot be used. The message is one line: what, where and what to do. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly code: WorkspaceErrorCode;
  readonly path: string;

  constructor(code: WorkspaceErrorCode, path: string, cause?: unknown) {
    super(`${workspaceErrorText[code]}: ${JSON.stringify(path)}. ${workspaceErrorAdvice[code]}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const workspaceErrorText: Record<WorkspaceErrorCode, string> = {
  missing: 'There is no such folder',
  'not-a-folder': 'This is not a folder',
  unreadable: 'This folder cannot be read',
};

const workspaceErrorAdvice: Record<WorkspaceErrorCode, string> = {
  missing: 'Check the spelling, or create the folder first.',
  'not-a-folder': 'Name the folder that contains the file.',
  unreadable: 'Give yourself permission to list it, or name another folder.',
};
