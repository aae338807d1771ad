import type { FolderIndex } from '../search/index-folder.ts';
import { createAskUserTool, type UserPrompter } from './ask-user.ts';
import { createEditTool } from './edit.ts';
import { finishTool } from './librarian-tools.ts';
import { createGlobTool } from './glob.ts';
import { applyToolLimits, type LimitsByTool } from './limits.ts';
import { createReadTool } from './read.ts';
import { createSearchTool } from './search.ts';
import { createShellTool, type CommandOptions } from './shell.ts';
import { createTestTool } from './test-command.ts';
import type { Tool } from './tool.ts';
import { createWorkspace } from './workspace.ts';
import { createWriteTool } from './write.ts';

export type CodingToolsOptions = Omit<CommandOptions, 'root'> & {
  readonly folder: FolderIndex;
  readonly testCommand?: string;
  /** Null if no user is available. */
  readonly ask?: UserPrompter;
  /** Limits by tool name that override the tool's own. */
  readonly limits?: LimitsByTool;
};

/** Creates the tools for working on a project: search, glob, read, edit, write, shell, test, ask_user and finish. */
export function createCodingTools(options: CodingToolsOptions): readonly Tool[] {
  const { folder, testCommand, ask = null, limits, ...command } = options;
  const { root } = folder;
  const workspace = createWorkspace(root, folder.paths);
  const tools = [
    createSearchTool(folder, { follows: true }),
    createGlobTool(workspace),
    createReadTool(folder, workspace),
    createEditTool(workspace),
    createWriteTool(workspace),
    createShellTool({ ...command, root }),
    createTestTool({ ...command, root, ...(testCommand !== undefined && { command: testCommand }) }),
    createAskUserTool(ask),
    finishTool,
  ];
  return applyToolLimits(tools, limits);
}
