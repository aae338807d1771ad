import { emptyConversation } from './conversation/conversation.ts';
import type { Phases } from './phases/phase.ts';
import { defaultSettings, type Settings } from './settings.ts';
import type { Turn } from './turn/state.ts';

/** What the governor keeps. `recoveries` counts the recoveries since the last user message or phase. */
export type Governor = { readonly recoveries: number };

/** Everything there is to know about one piece of work; plain JSON, and the same events always give the same one. */
export type Session = {
  readonly version: 1;
  readonly id: string;
  readonly profile: string;
  readonly settings: Settings;
  /** How many durable events this session has seen. */
  readonly seq: number;
  readonly turn: Turn;
  readonly phases: Phases;
  readonly governor: Governor;
};

export type SessionOptions = {
  readonly id: string;
  readonly at: number;
  readonly profile?: string;
  readonly settings?: Partial<Settings>;
  readonly totalPhases?: number;
};

export const calm: Governor = { recoveries: 0 };
const noPhases: Phases = { total: null, current: null, completed: [] };

export function createSession(options: SessionOptions): Session {
  const { id, at, profile = 'pawl', settings, totalPhases } = options;
  return {
    version: 1,
    id,
    profile,
    settings: settings === undefined ? defaultSettings : { ...defaultSettings, ...settings },
    seq: 0,
    turn: { status: 'waitingForUser', since: at, conversation: emptyConversation },
    phases: totalPhases === undefined ? noPhases : { ...noPhases, total: totalPhases },
    governor: calm,
  };
}
