import { memorySettings } from '../memory/settings.ts';
import { createLkj1Chart, createLkjChart } from '../modes/charts/lkj.ts';
import { createSavantChart } from '../modes/charts/savant.ts';
import { savantTools } from '@pawl/governor/session-tracker';
import type { SessionSettings } from '../session/settings.ts';

/** A profile: a name, a description and changes to the default settings. */
export type Profile = {
  readonly name: string;
  readonly description: string;
  readonly settings: Partial<SessionSettings>;
  /** How the model requests tool calls: natively through its provider, or as JSON or XML in its text. */
  readonly protocol: 'native' | 'json' | 'xml';
  /** States that only a shutdown leaves. */
  readonly terminal: readonly ('halted' | 'shuttingDown')[];
};

const noGovernor = { preset: 'none', rules: {} } as const;

/** Tools that look something up count as searching. */
const savantSearchTools = ['search', 'read', 'glob', ...savantTools.search];

/** Tools whose repeated use is not oscillation. */
const nexoraReadTools = ['view', 'ls', 'grep', 'read', 'search', 'glob'];

/** The librarian has no governor, only a budget of model calls that includes the last answer. */
const librarianSettings = {
  governor: noGovernor,
  compact: true,
  budgets: { modelCalls: 1_000, toolCalls: null, tokens: null, cost: null, wallMs: null },
} as const;

export const builtInProfiles: readonly Profile[] = [
  {
    name: 'pawl',
    description: 'The default: progress checks, paging, recovery, and the governor.',
    settings: { compact: true, memory: memorySettings.pawl },
    protocol: 'native',
    terminal: ['halted', 'shuttingDown'],
  },
  {
    name: 'loom',
    description: 'The plain event-driven turn: retries, parallel tools and hooks only.',
    settings: {
      mutatingTools: ['edit_file', 'bash'],
      progressCheck: false,
      pageOnOverflow: false,
      governor: noGovernor,
    },
    protocol: 'native',
    terminal: ['shuttingDown'],
  },
  {
    name: 'nexora',
    description: 'Phases, and a progress check after every tool round; an invalid event is an error.',
    settings: {
      pageOnOverflow: false,
      onInvalidEvent: 'refuse',
      continueAfterStop: false,
      governor: { preset: 'nexora', rules: {}, config: { readTools: nexoraReadTools } },
    },
    protocol: 'native',
    terminal: ['halted'],
  },
  {
    name: 'savant',
    description: 'Modes for a searching agent, which finishes with a summary when it gets stuck.',
    settings: {
      compact: true,
      chart: createSavantChart({ searchTools: savantSearchTools }),
      governor: { preset: 'savant', rules: {}, config: { searchTools: savantSearchTools } },
    },
    protocol: 'json',
    terminal: ['halted', 'shuttingDown'],
  },
  {
    name: 'lkj',
    description: 'The librarian: thinking, commanding, evaluating and paging, with a small working memory.',
    settings: { ...librarianSettings, chart: createLkjChart(), memory: memorySettings.lkj },
    protocol: 'xml',
    terminal: ['halted', 'shuttingDown'],
  },
  {
    name: 'lkj1',
    description: 'The first version of the librarian: thinking, executing and paging.',
    settings: { ...librarianSettings, chart: createLkj1Chart(), memory: memorySettings.lkj1 },
    protocol: 'xml',
    terminal: ['halted', 'shuttingDown'],
  },
];

export function findProfile(name: string): Profile | undefined {
  return builtInProfiles.find((profile) => profile.name === name);
}

/** Replaces keys of a governor's configuration. A key has two spellings, and a replacement may use the other one. */
export function replaceConfigKeys<Config extends object>(
  before: Config | undefined,
  changes: object,
): Config & object {
  const replaced = new Set(Object.keys(changes).map(normalizeConfigKey));
  const unchanged = Object.entries(before ?? {}).filter(([key]) => !replaced.has(normalizeConfigKey(key)));
  return Object.fromEntries([...unchanged, ...Object.entries(changes)]) as Config & object;
}

function normalizeConfigKey(key: string): string {
  return key.replaceAll('_', '').toLowerCase();
}
