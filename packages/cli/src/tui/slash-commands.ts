import type { ScreenViewName } from './screen-model.ts';

/** A command of the input line, written as `/name argument`. */
export type SlashCommand = {
  readonly name: string;
  readonly description: string;
  readonly effect:
    | { readonly kind: 'view'; readonly view: ScreenViewName }
    /** A command for the session; see `runSlashCommand`. */
    | { readonly kind: 'pause' | 'continue' | 'init' | 'finish' | 'cost' | 'output' | 'quit' };
};

export const slashCommands: readonly SlashCommand[] = [
  { name: 'help', description: 'keys and commands', effect: { kind: 'view', view: 'help' } },
  { name: 'pause', description: 'let running work finish and start nothing new', effect: { kind: 'pause' } },
  { name: 'continue', description: 'continue after a pause or a stop', effect: { kind: 'continue' } },
  { name: 'init', description: 'ask the agent to write or improve AGENTS.md', effect: { kind: 'init' } },
  { name: 'finish', description: 'finish now with one last answer', effect: { kind: 'finish' } },
  { name: 'cost', description: 'tokens, cost and calls so far', effect: { kind: 'cost' } },
  { name: 'output', description: 'show or hide the output of tools (Ctrl-O)', effect: { kind: 'output' } },
  {
    name: 'transcript',
    description: 'the whole conversation',
    effect: { kind: 'view', view: 'transcript' },
  },
  { name: 'diff', description: 'changes to files in this turn', effect: { kind: 'view', view: 'diff' } },
  { name: 'chart', description: 'the state chart of the turn', effect: { kind: 'view', view: 'chart' } },
  {
    name: 'governor',
    description: 'rules, verdicts and budgets',
    effect: { kind: 'view', view: 'governor' },
  },
  { name: 'memory', description: 'the working memory', effect: { kind: 'view', view: 'memory' } },
  { name: 'events', description: 'the event log', effect: { kind: 'view', view: 'events' } },
  { name: 'quit', description: 'quit', effect: { kind: 'quit' } },
];

export type ParsedSlashCommand = { readonly name: string; readonly argument: string };

/** Parses `/name argument`; null for any other text, such as a path. */
export function parseSlashCommand(text: string): ParsedSlashCommand | null {
  const match = /^\/([a-z][a-z-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim());
  return match === null ? null : { name: (match[1] ?? '').toLowerCase(), argument: match[2]?.trim() ?? '' };
}

export function findSlashCommand(name: string): SlashCommand | null {
  return slashCommands.find((command) => command.name === name) ?? null;
}
