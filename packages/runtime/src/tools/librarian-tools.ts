import type { FolderIndex } from '../search/index-folder.ts';
import { finishTool } from './finish.ts';
import { createReadTool } from './read.ts';
import { createSearchTool } from './search.ts';
import type { Tool } from './tool.ts';

/** What it takes to answer a question from a folder: search it, read in it, and finish. */
export function librarianTools(folder: FolderIndex): readonly Tool[] {
  return [createSearchTool(folder), createReadTool(folder), finishTool];
}
