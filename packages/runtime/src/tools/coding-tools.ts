import type { FolderIndex } from '../search/index-folder.ts';
import { createAskUserTool, type AskUser } from './ask-user.ts';
import { createEditTool } from './edit.ts';
import { finishTool } from './finish.ts';
import { createGlobTool } from './glob.ts';
import { withLimits, type LimitsByTool } from './limits.ts';
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
  /** Null when nobody is there. */
  readonly ask?: AskUser;
  /** Other limits than a tool has by itself, by its name. */
  readonly limits?: LimitsByTool;
};

/** All it takes to work on a project: find, read, change, run, test, ask, finish. */
export function codingTools(options: CodingToolsOptions): readonly Tool[] {
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
  return withLimits(tools, limits);
}
