import type { FolderIndex } from '../search/index-folder.ts';
import { finishTool } from './finish.ts';
import { createReadTool } from './read.ts';
import { createSearchTool } from './search.ts';
import type { Tool } from './tool.ts';

/** Creates the tools for answering a question from a folder: search, read and finish. */
export function createLibrarianTools(folder: FolderIndex): readonly Tool[] {
  return [createSearchTool(folder), createReadTool(folder), finishTool];
}
