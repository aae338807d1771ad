import type { ProtocolContext, ModelReply } from '../../src/protocols/decision.ts';
import type { ToolDescription } from '../../src/tools/tool.ts';

function createMemoryTool(name: string, required: readonly string[]): ToolDescription {
  const properties = { tags: { type: 'string' }, value: { type: 'string' } };
  return { name, description: `Does ${name}.`, parameters: { type: 'object', properties, required } };
}

/** The four actions of the librarian. What is saved may be left out: then it is taken from working memory. */
export const memoryToolDescriptions: readonly ToolDescription[] = [
  createMemoryTool('working_memory_add', ['tags', 'value']),
  createMemoryTool('working_memory_remove', ['tags']),
  createMemoryTool('storage_load', ['tags']),
  createMemoryTool('storage_save', ['tags']),
];

export const readFileTool: ToolDescription = {
  name: 'read_file',
  description: 'Reads lines of a file.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Which file.' },
      first: { type: 'integer', minimum: 3 },
      isRaw: { type: 'boolean' },
      labels: { type: 'array', items: { type: 'string' } },
      options: { type: 'object' },
    },
    required: ['path'],
  },
};

const searchTool: ToolDescription = {
  name: 'context.fts_search',
  description: 'Searches.',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};

/** Any state of the first librarian: an action decides, whatever the state. */
export const lkj1Context: ProtocolContext = {
  tools: memoryToolDescriptions,
  states: ['thinking', 'executing'],
  logs: ['thinking_log'],
  callsMax: 1,
};

export const lkjContext: ProtocolContext = {
  tools: memoryToolDescriptions,
  states: ['thinking', 'commanding', 'evaluating'],
  logs: ['think_log', 'evaluation_log'],
  callsMax: 1,
};

export const freeContext: ProtocolContext = {
  tools: [readFileTool, searchTool],
  states: [],
  logs: [],
  callsMax: Infinity,
};

export function createReply(text: string, calls: ModelReply['calls'] = []): ModelReply {
  return { text, calls };
}
