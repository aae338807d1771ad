export {
  openLkjFolder,
  openLkjMemory,
  exportMemory,
  importMemory,
  type LkjFolder,
  type LkjMemoryOptions,
  type LkjMemoryStore,
} from './memory/lkj-memory.ts';
export {
  MemoryFileError,
  createMemoryFile,
  type MemoryFileErrorCode,
  type LoadedMemoryFile,
  type MemoryFile,
} from './memory/memory-file.ts';
export { createMemoryManager } from './memory/memory-manager.ts';
export type { MemoryManager, MemoryManagerOptions } from './memory/memory-manager.ts';
export { createMemoryTools } from './memory/memory-tools.ts';
