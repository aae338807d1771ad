import { findLogVersionProblem, latestLogVersion } from './log-version.ts';
import { emptyConversation } from '../conversation/conversation.ts';
import { initialLadder, type LadderState } from '@pawl/governor';
import { createSessionTracker, type SessionTracker } from '@pawl/governor/session-tracker';
import { createMemory, type WorkingMemory } from '../memory/memory.ts';
import { emptyContextWindow, type ContextWindow } from '../memory/estimate-tokens.ts';
import { startMode, type CurrentMode } from '../modes/mode.ts';
import { emptyPhaseWork, type PhaseState } from '../phases/phase.ts';
import { defaultSettings, type SessionSettings } from './settings.ts';
import type { TurnState } from './turn-state.ts';

/** Governor state since the last user message or phase. */
export type GovernorState = LadderState & {
  readonly recoveries: number;
  /** Advice on a reply that ended the turn, delivered with the next model call. */
  readonly advice: string | null;
  /** State of the nexora and savant presets, which decide themselves when to reset it. */
  readonly tracker: SessionTracker | null;
};

/** The complete state of one agent session: plain JSON, and a deterministic result of its events. */
export type Session = {
  readonly version: 1;
  readonly id: string;
  readonly profile: string;
  readonly settings: SessionSettings;
  /** Number of durable events applied to this session. */
  readonly seq: number;
  readonly turn: TurnState;
  readonly phases: PhaseState;
  readonly governor: GovernorState;
  /** The current mode; null if the profile has no modes. */
  readonly mode: CurrentMode | null;
  /** The agent's working memory; null if the profile has none. */
  readonly memory: WorkingMemory | null;
  /** How full the model's context window is; null if its size is unknown. */
  readonly window: ContextWindow | null;
  readonly budgetUsage: BudgetUsage;
  /** The log version the session was created with, which never changes; 0 if absent. */
  readonly logVersion?: number;
};

export type SessionOptions = {
  readonly id: string;
  readonly at: number;
  readonly profile?: string;
  readonly settings?: Partial<SessionSettings>;
  readonly totalPhases?: number;
  /** An older log version, to create a session that behaves as it would have then. */
  readonly logVersion?: number;
};

export const initialGovernor: GovernorState = {
  recoveries: 0,
  ...initialLadder,
  advice: null,
  tracker: null,
};
export const initialBudgetUsage: BudgetUsage = {
  modelCalls: 0,
  toolCalls: 0,
  tokens: 0,
  cost: 0,
  lastTokens: 0,
  lastCost: 0,
  workingSince: 0,
};
const initialPhases: PhaseState = { total: null, current: null, completed: [], outside: emptyPhaseWork };

/** Creates a session; throws a TypeError for an unknown log version or invalid governor settings. */
export function createSession(options: SessionOptions): Session {
  const { id, at, profile = 'pawl', totalPhases, logVersion = latestLogVersion } = options;
  const problem = findLogVersionProblem({ logVersion: logVersion });
  if (problem !== null) throw new TypeError(`Cannot create the session: ${problem}.`);
  const settings = options.settings === undefined ? defaultSettings : completeSettings(options.settings);
  const tracker = createSessionTracker(settings.governor, at);
  const session: Session = {
    version: 1,
    id,
    profile,
    settings,
    seq: 0,
    turn: { status: 'waitingForUser', since: at, conversation: emptyConversation },
    phases: totalPhases === undefined ? initialPhases : { ...initialPhases, total: totalPhases },
    governor: tracker === null ? initialGovernor : { ...initialGovernor, tracker },
    mode: settings.chart === null ? null : startMode(settings.chart, at),
    memory: settings.memory === null ? null : createMemory(settings.memory),
    window: settings.windowTokens === null ? null : emptyContextWindow,
    budgetUsage: initialBudgetUsage,
  };
  // Build the session as every later state is built, so that the engine sees only one object shape.
  return logVersion === 0 ? session : setSessionTurn({ ...session, logVersion }, session.seq, session.turn);
}

/** Written out because it runs on every event; a spread is several times slower. */
export function setSessionTurn(session: Session, seq: number, turn: TurnState): Session {
  const { version, id, profile, settings, phases, governor, mode, memory, window, budgetUsage, logVersion } =
    session;
  return logVersion === undefined
    ? { version, id, profile, settings, seq, turn, phases, governor, mode, memory, window, budgetUsage }
    : {
        version,
        id,
        profile,
        settings,
        seq,
        turn,
        phases,
        governor,
        mode,
        memory,
        window,
        budgetUsage,
        logVersion,
      };
}

/** Complete settings are shared between sessions; partial settings are merged with the defaults. */
function completeSettings(settings: Partial<SessionSettings>): SessionSettings {
  return isCompleteSettings(settings) ? settings : { ...defaultSettings, ...settings };
}

function isCompleteSettings(settings: Partial<SessionSettings>): settings is SessionSettings {
  return Object.keys(defaultSettings).every((key) => Object.hasOwn(settings, key));
}

/** The budget used so far. */
export type BudgetUsage = {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly cost: number;
  /** Usage of the latest reply, which estimates the next one. */
  readonly lastTokens: number;
  readonly lastCost: number;
  /** Time of the user's last message, shifted by the time that did not count. */
  readonly workingSince: number;
  /** When the clock stopped; absent while it runs. */
  readonly waitingSince?: number;
};
