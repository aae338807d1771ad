export { parseLkjConfig, type LkjConfig, type LkjPrompts, type LkjProfile } from './memory/lkj/config.ts';
export {
  formatMemoryDocument,
  parseMemoryDocument,
  type LkjMemory,
  type MemoryDocumentOptions,
  type ParsedMemoryDocument,
} from './memory/lkj/document.ts';
