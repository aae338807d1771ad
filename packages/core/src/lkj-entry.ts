export { parseLkjConfig } from './memory/lkj/config.ts';
export type { LkjConfig } from './memory/lkj/config.ts';
export {
  formatMemoryDocument,
  parseMemoryDocument,
  type LkjMemory,
  type MemoryDocumentOptions,
  type ParsedMemoryDocument,
} from './memory/lkj/document.ts';

export type { LkjPrompts } from './memory/lkj/prompts.ts';
export type { LkjProfile } from './memory/lkj/states.ts';
