export { parseLkjConfig } from './memory/lkj/config.ts';
export type { LkjConfig } from './memory/lkj/config.ts';
export { formatMemoryDocument } from './memory/lkj/format-document.ts';
export { parseMemoryDocument } from './memory/lkj/parse-document.ts';
export type { LkjMemory, MemoryDocumentOptions, ParsedMemoryDocument } from './memory/lkj/parse-document.ts';
export type { LkjPrompts } from './memory/lkj/prompts.ts';
export type { LkjProfile } from './memory/lkj/states.ts';
