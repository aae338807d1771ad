import type { ProtocolContext } from '../../src/protocols/codec.ts';
import type { Reply } from '../../src/protocols/decision.ts';
import type { ToolDescription } from '../../src/tools/tool.ts';

function memoryTool(name: string, required: readonly string[]): ToolDescription {
  const properties = { tags: { type: 'string' }, value: { type: 'string' } };
  return { name, description: `Does ${name}.`, parameters: { type: 'object', properties, required } };
}

/** The four actions of the librarian. What is saved may be left out: then it is taken from working memory. */
export const memoryTools: readonly ToolDescription[] = [
  memoryTool('working_memory_add', ['tags', 'value']),
  memoryTool('working_memory_remove', ['tags']),
  memoryTool('storage_load', ['tags']),
  memoryTool('storage_save', ['tags']),
];

export const readTool: ToolDescription = {
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
export const lkj1: ProtocolContext = {
  tools: memoryTools,
  states: ['thinking', 'executing'],
  logs: ['thinking_log'],
  callsMax: 1,
};

export const lkj: ProtocolContext = {
  tools: memoryTools,
  states: ['thinking', 'commanding', 'evaluating'],
  logs: ['think_log', 'evaluation_log'],
  callsMax: 1,
};

export const free: ProtocolContext = {
  tools: [readTool, searchTool],
  states: [],
  logs: [],
  callsMax: Infinity,
};

export function reply(text: string, calls: Reply['calls'] = []): Reply {
  return { text, calls };
}
