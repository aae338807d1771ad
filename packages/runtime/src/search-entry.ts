export { indexFolder } from './search/index-folder.ts';
export type { FolderContents, FolderIndex, IndexOptions, IndexProgress } from './search/index-folder.ts';
export { indexLimits } from './search/limits.ts';
export type { IndexLimits } from './search/limits.ts';
export type { SearchHit, SearchResult } from './search/search.ts';
export type { SkipReason, SkippedPath } from './search/walk.ts';
export { WorkspaceError } from './search/workspace-error.ts';
export type { WorkspaceErrorCode } from './search/workspace-error.ts';
