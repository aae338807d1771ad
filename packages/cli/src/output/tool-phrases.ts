import type { Json } from '@pawl/core';

/** What a tool call does, in words: "Reading sum.js" while it runs, "Read sum.js" afterwards. */
export type ToolPhrase = { readonly doing: string; readonly done: string };

type CallArguments = { readonly [name: string]: Json };

const verbs: { readonly [tool: string]: readonly [doing: string, done: string, argument: string | null] } = {
  read: ['Reading', 'Read', 'path'],
  search: ['Searching for', 'Searched for', 'query'],
  glob: ['Listing', 'Listed', 'pattern'],
  edit: ['Editing', 'Edited', 'path'],
  write: ['Writing', 'Wrote', 'path'],
  shell: ['Running', 'Ran', 'command'],
  test: ['Testing', 'Tested', 'command'],
  finish: ['Answering', 'Answered', null],
  ask_user: ['Asking', 'Asked', 'question'],
  plan: ['Planning', 'Planned', null],
  phase_start: ['Starting a phase:', 'Started a phase:', 'description'],
  phase_complete: ['Completing the phase', 'Completed the phase', null],
  phase_status: ['Checking the phases', 'Checked the phases', null],
  working_memory_add: ['Remembering', 'Remembered', 'tags'],
};

export function describeToolCall({ tool, args }: { readonly tool: string; readonly args: Json }): ToolPhrase {
  const verb = Object.hasOwn(verbs, tool) ? verbs[tool] : undefined;
  if (verb === undefined) return describeOtherCall(tool, args);
  const [doing, done, argument] = verb;
  const value = argument !== null && isArguments(args) ? args[argument] : undefined;
  if (argument !== null && value === undefined && tool !== 'test') return describeOtherCall(tool, args);
  const object = value === undefined ? '' : ` ${formatObject(tool, args as CallArguments, value)}`;
  return { doing: doing + object, done: done + object };
}

function describeOtherCall(tool: string, args: Json): ToolPhrase {
  const text = formatArguments(args);
  const phrase = text === '' ? tool : `${tool} ${text}`;
  return { doing: phrase, done: phrase };
}

function formatObject(tool: string, { from, to }: CallArguments, value: Json): string {
  if (typeof value !== 'string') return stringify(value);
  if (tool === 'search') return `“${value}”`;
  if (tool !== 'read' || typeof from !== 'number') return value;
  return typeof to === 'number' ? `${value}, lines ${from}–${to}` : `${value} from line ${from}`;
}

/** Shows a single argument without its name. */
function formatArguments(args: Json): string {
  if (!isArguments(args)) return typeof args === 'string' ? args : stringify(args);
  const values = Object.values(args);
  if (values.length === 0) return '';
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : stringify(args);
}

function isArguments(args: Json): args is CallArguments {
  return typeof args === 'object' && args !== null && !Array.isArray(args);
}

function stringify(value: Json): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '(nested too deeply to be shown)';
  }
}

const maxDepth = 20;

/** Formats the output of a tool for reading: text as it is, and fields by name. */
export function formatToolOutput(output: unknown, depth = 0): string {
  if (typeof output === 'string') return output;
  if (depth > maxDepth) return '(nested too deeply to be shown)';
  if (Array.isArray(output))
    return output
      .map((each) => formatToolOutput(each, depth + 1))
      .join(output.some(isStructure) ? '\n\n' : '\n');
  if (typeof output !== 'object' || output === null) return JSON.stringify(output) ?? '';
  return Object.entries(output)
    .filter(([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => {
      const text = formatToolOutput(value, depth + 1);
      return text.includes('\n') || isStructure(value) ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join('\n');
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
