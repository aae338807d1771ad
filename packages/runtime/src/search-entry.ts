export {
  indexFolder,
  type FolderContents,
  type FolderIndex,
  type IndexOptions,
  type IndexProgress,
  WorkspaceError,
  type WorkspaceErrorCode,
} from './search/index-folder.ts';
export { indexLimits } from './search/limits.ts';
export type { IndexLimits } from './search/limits.ts';
export type { SearchHit, SearchResult } from './search/search.ts';
export type { SkipReason, SkippedPath } from './search/walk.ts';
