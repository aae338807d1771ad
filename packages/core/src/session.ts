import { behaviourFault, newestBehaviour } from './behaviour.ts';
import { emptyConversation } from './conversation/conversation.ts';
import type { Spent } from './governor/budget.ts';
import { unwatched, type Watch } from './governor/watch.ts';
import { emptyMemory, type Memory } from './memory/memory.ts';
import { emptyWindow, type ModelWindow } from './memory/window.ts';
import { startMode, type Mode } from './modes/mode.ts';
import type { Phases } from './phases/phase.ts';
import { noWork } from './phases/work.ts';
import { defaultSettings, type Settings } from './settings.ts';
import { trackerFor, type SessionTracker } from './trackers/in-session.ts';
import type { Turn } from './turn/state.ts';

/** What the governor keeps since the last user message or phase. */
export type Governor = {
  readonly recoveries: number;
  readonly watch: Watch;
  /** Calls that will not be run again until something new has come of other calls. */
  readonly refused: readonly Refusal[];
  /** Advice on a reply that ended the turn, to be given when the model is asked next. */
  readonly advice: string | null;
  /** With the presets nexora and savant, what they know; it lasts for as long as they say. */
  readonly tracker: SessionTracker | null;
};

export type Refusal = {
  readonly call: string;
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** How often the model has asked for it since. */
  readonly asked: number;
};

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
  /** What kind of step this is; null where the profile has no modes. */
  readonly mode: Mode | null;
  /** What the agent holds in mind; null where the profile has no working memory. */
  readonly memory: Memory | null;
  /** How full the model's window is; null where nobody said how large it is. */
  readonly window: ModelWindow | null;
  readonly spent: Spent;
  /** The newest behaviour there was when the session was begun, which it keeps; without one it is 0. */
  readonly behaviour?: number;
};

export type SessionOptions = {
  readonly id: string;
  readonly at: number;
  readonly profile?: string;
  readonly settings?: Partial<Settings>;
  readonly totalPhases?: number;
  /** An older behaviour than the newest, for a session as it would have been then. */
  readonly behaviour?: number;
};

export const calm: Governor = { recoveries: 0, watch: unwatched, refused: [], advice: null, tracker: null };
const nothingSpent: Spent = {
  modelCalls: 0,
  toolCalls: 0,
  tokens: 0,
  cost: 0,
  lastTokens: 0,
  lastCost: 0,
  workingSince: 0,
};
const noPhases: Phases = { total: null, current: null, completed: [], outside: noWork };

export function createSession(options: SessionOptions): Session {
  const { id, at, profile = 'pawl', totalPhases, behaviour = newestBehaviour } = options;
  const fault = behaviourFault({ behaviour });
  if (fault !== null) throw new TypeError(`There can be no such session: ${fault}. Choose one of those.`);
  const settings = options.settings === undefined ? defaultSettings : complete(options.settings);
  const tracker = trackerFor(settings.governor, at);
  const session: Session = {
    version: 1,
    id,
    profile,
    settings,
    seq: 0,
    turn: { status: 'waitingForUser', since: at, conversation: emptyConversation },
    phases: totalPhases === undefined ? noPhases : { ...noPhases, total: totalPhases },
    governor: tracker === null ? calm : { ...calm, tracker },
    mode: settings.chart === null ? null : startMode(settings.chart, at),
    memory: settings.memory === null ? null : emptyMemory(settings.memory),
    window: settings.windowTokens === null ? null : emptyWindow,
    spent: nothingSpent,
  };
  // Made as every later state of it is made, so that the engine sees sessions of one shape only.
  return behaviour === 0 ? session : inTurn({ ...session, behaviour }, session.seq, session.turn);
}

/** Written out because it runs on every event: a spread costs several times as much. */
export function inTurn(session: Session, seq: number, turn: Turn): Session {
  const { version, id, profile, settings, phases, governor, mode, memory, window, spent, behaviour } =
    session;
  return behaviour === undefined
    ? { version, id, profile, settings, seq, turn, phases, governor, mode, memory, window, spent }
    : { version, id, profile, settings, seq, turn, phases, governor, mode, memory, window, spent, behaviour };
}

/** Settings that say everything are shared by all sessions that use them; others are filled up. */
function complete(settings: Partial<Settings>): Settings {
  return isComplete(settings) ? settings : { ...defaultSettings, ...settings };
}

function isComplete(settings: Partial<Settings>): settings is Settings {
  return Object.keys(defaultSettings).every((key) => Object.hasOwn(settings, key));
}
