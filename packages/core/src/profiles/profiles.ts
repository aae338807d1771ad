import { memorySettings } from '../memory/settings.ts';
import { lkj1Chart, lkjChart } from '../modes/charts/lkj.ts';
import { savantChart, savantTools } from '../modes/charts/savant.ts';
import type { Settings } from '../settings.ts';

/** A profile is data: a name, what it is for, and what it changes of the defaults. */
export type Profile = {
  readonly name: string;
  readonly description: string;
  readonly settings: Partial<Settings>;
  /** How the model says what it wants: calls of its provider's own, JSON or XML in its text. */
  readonly protocol: 'native' | 'json' | 'xml';
  /** States nothing but a shutdown leads out of. */
  readonly terminal: readonly ('halted' | 'shuttingDown')[];
};

const ungoverned = { preset: 'none', rules: {} } as const;

/** Looking something up is searching, whatever the tool is called. */
const searchTools = ['search', 'read', 'glob', ...savantTools.search];

/** Reading again and again is not going to and fro. */
const readTools = ['view', 'ls', 'grep', 'read', 'search', 'glob'];

/** The librarian has no governor, only a number of cycles, the last answer included. */
const librarian = {
  governor: ungoverned,
  compact: true,
  budgets: { modelCalls: 1_000, toolCalls: null, tokens: null, cost: null, wallMs: null },
} as const;

export const profiles: readonly Profile[] = [
  {
    name: 'pawl',
    description: 'The default: progress checks, paging, recovery, and the governor.',
    settings: { compact: true, memory: memorySettings.pawl },
    protocol: 'native',
    terminal: ['halted', 'shuttingDown'],
  },
  {
    name: 'loom',
    description: 'The plain event-driven turn: retries, parallel tools and hooks, nothing else.',
    settings: {
      mutatingTools: ['edit_file', 'bash'],
      progressCheck: false,
      pageOnOverflow: false,
      governor: ungoverned,
    },
    protocol: 'native',
    terminal: ['shuttingDown'],
  },
  {
    name: 'nexora',
    description: 'Phases and progress checks after every round of tools; a refused event is an error.',
    settings: {
      pageOnOverflow: false,
      onInvalidEvent: 'refuse',
      governor: { preset: 'nexora', rules: {}, config: { readTools } },
    },
    protocol: 'native',
    terminal: ['halted'],
  },
  {
    name: 'savant',
    description: 'Modes for an agent that searches, and an end with a summary when it goes round in circles.',
    settings: {
      compact: true,
      chart: savantChart({ searchTools }),
      governor: { preset: 'savant', rules: {}, config: { searchTools } },
    },
    protocol: 'json',
    terminal: ['halted', 'shuttingDown'],
  },
  {
    name: 'lkj',
    description: 'The librarian: thinking, commanding, evaluating and paging, with a small working memory.',
    settings: { ...librarian, chart: lkjChart(), memory: memorySettings.lkj },
    protocol: 'xml',
    terminal: ['halted', 'shuttingDown'],
  },
  {
    name: 'lkj1',
    description: 'The first version of the librarian: thinking, executing and paging.',
    settings: { ...librarian, chart: lkj1Chart(), memory: memorySettings.lkj1 },
    protocol: 'xml',
    terminal: ['halted', 'shuttingDown'],
  },
];

export function findProfile(name: string): Profile | undefined {
  return profiles.find((profile) => profile.name === name);
}
