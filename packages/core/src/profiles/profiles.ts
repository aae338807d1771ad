import type { Settings } from '../settings.ts';

/** A profile is data: a name, what it is for, and what it changes of the defaults. */
export type Profile = {
  readonly name: string;
  readonly description: string;
  readonly settings: Partial<Settings>;
  /** States nothing but a shutdown leads out of. */
  readonly terminal: readonly ('halted' | 'shuttingDown')[];
};

const ungoverned = { preset: 'none', rules: {} } as const;

export const profiles: readonly Profile[] = [
  {
    name: 'pawl',
    description: 'The default: progress checks, paging, recovery, and the governor.',
    settings: {},
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
    terminal: ['shuttingDown'],
  },
  {
    name: 'nexora',
    description: 'Phases and progress checks after every round of tools; a refused event is an error.',
    settings: { pageOnOverflow: false, onInvalidEvent: 'refuse', governor: ungoverned },
    terminal: ['halted'],
  },
];

export function findProfile(name: string): Profile | undefined {
  return profiles.find((profile) => profile.name === name);
}
