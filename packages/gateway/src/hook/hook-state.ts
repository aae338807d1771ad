import type { GovernorSettings, Json, LadderState } from '@pawl/governor';
import {
  initialLadder,
  isContinuationMessage,
  judgeObservation,
  observeCall,
  removeHostText,
  resetReplyWindows,
  screenCalls,
  selectRules,
} from '@pawl/governor/hook';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getDataFolder, ensureParentFolder } from '@pawl/runtime/data-folder';

/** A tool call that a host is about to make, or has made. */
export type HookCall = {
  readonly tool: string;
  readonly args: Json;
  /** The reply of the model that contains the call, as an opaque id; absent if the host does not say. */
  readonly reply?: string;
};

/** The outcome of a call. `ok` is undefined if the host does not say whether the call failed. */
export type HookOutcome = { readonly ok: boolean | undefined; readonly output: string };

/** The state of one agent of a host: plain JSON, bounded, and derived only from hook events. */
export type HookState = {
  readonly version: 3;
  /** Number of calls since the last user message. */
  readonly calls: number;
  /** Null before the first observation. */
  readonly ladder: LadderState | null;
  /** Null while the work may continue. */
  readonly finish: FinishedWork | null;
};

/** Why the work is finished, and what happened since. */
type FinishedWork = {
  readonly reason: string;
  /** Number of calls that were denied. */
  readonly denials: number;
  /** Whether the model has been called, so that it knows that the work is finished. */
  readonly isTold?: true;
  /** The reply whose results tell the model so: calls of another reply come from a model that knows. */
  readonly reply?: string;
  /** Whether the host has been told to stop. */
  readonly isStopped?: true;
};

/** The decision to report to a host. */
export type HookDecision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'advise'; readonly text: string }
  | { readonly kind: 'deny'; readonly text: string }
  | { readonly kind: 'stop'; readonly text: string };

export type HookJudgment = { readonly state: HookState; readonly decision: HookDecision };

export const initialHookState: HookState = { version: 3, calls: 0, ladder: null, finish: null };

/** Marks advice, because it appears among tool output and user messages. */
export const governorNotePrefix = '[Note from the run’s governor, not from the user]';

const hookGovernorSettings: GovernorSettings = { preset: 'pawl', rules: {} };

/**
 * Number of calls denied after the work is finished before the host is stopped, if it is not known which calls are of the
 * same reply: the first may belong to the reply whose calls finished the work.
 */
const maxDenialsBeforeStop = 1;

/**
 * The same for a sub-agent. Stopping the host would also stop its parent, so the sub-agent gets more chances to end with
 * an answer to the parent.
 */
const maxSubAgentDenialsBeforeStop = 20;

const noDecision: HookDecision = { kind: 'nothing' };

/** What holds for the agent that makes a call. */
export type HookLimits = {
  /** Maximum number of calls between two user messages; null for no limit. */
  readonly callsMax: number | null;
  readonly isSubAgent: boolean;
  /** Whether the host reports each call of the model, so that `markModelTold` says which calls come after it. */
  readonly reportsModelCalls?: boolean;
};

/** Decides whether a call may run. */
export function judgeHookCall(state: HookState, call: HookCall, limits: HookLimits): HookJudgment {
  const { callsMax } = limits;
  if (state.finish !== null) return denyFinishedCall(state, state.finish, call, limits);
  if (callsMax !== null && state.calls >= callsMax) {
    const reason = formatFinishMessage(`The budget of ${callsMax} tool calls is used up.`);
    return denyFinishedCall(state, { reason, denials: 0 }, call, limits);
  }
  if (state.ladder === null || state.ladder.blockedCalls.length === 0) return { state, decision: noDecision };
  const { state: ladder, blocks, verdict } = screenCalls(state.ladder, [call], state.calls + 1);
  const [block = null] = blocks;
  if (block === null) return { state, decision: noDecision };
  const after = { ...state, ladder };
  return verdict === null
    ? { state: after, decision: { kind: 'deny', text: `Not run again: ${block.advice}` } }
    : denyFinishedCall(after, { reason: formatFinishMessage(verdict.advice), denials: 0 }, call, limits);
}

/** Records a finished call. Calls that we denied never ran, so they are ignored, as is everything after the finish. */
export function recordHookCall(
  state: HookState,
  { tool, args, reply }: HookCall,
  { ok, output }: HookOutcome,
  at: number,
): HookJudgment {
  if (state.finish !== null || (ok !== true && output.includes(governorNotePrefix)))
    return { state, decision: noDecision };
  const calls = state.calls + 1;
  const observation = observeCall({ seq: calls, at, tool, args, ok, output });
  const { state: ladder, verdict } = judgeObservation(state.ladder ?? initialLadder, observation, {
    rules: selectRules(hookGovernorSettings),
    settings: hookGovernorSettings,
    failure: observation.error === null ? null : { args, errorText: output },
  });
  const after = { ...state, calls, ladder };
  if (verdict === null) return { state: after, decision: noDecision };
  if (verdict.response.kind !== 'stop')
    return { state: after, decision: { kind: 'advise', text: verdict.advice } };
  const reason = formatFinishMessage(verdict.advice);
  return {
    state: { ...after, finish: { reason, denials: 0, ...(reply !== undefined && { reply }) } },
    decision: { kind: 'advise', text: reason },
  };
}

/**
 * Decides whether the model may be called again after the calls of a reply: once after the work is finished, for the
 * answer. A sub-agent may go on, because stopping the host would also stop its parent.
 */
export function judgeModelCall(state: HookState, { isSubAgent }: HookLimits): HookJudgment {
  const { finish } = state;
  if (finish === null) return { state, decision: noDecision };
  const isStop = isSubAgent ? finish.isStopped === true : finish.isTold === true;
  return isStop
    ? {
        state: { ...state, finish: { ...finish, isStopped: true } },
        decision: { kind: 'stop', text: finish.reason },
      }
    : { state: markModelTold(state), decision: noDecision };
}

/** Records that the next call comes from a model that knows whether the work is finished. */
export function markModelTold(state: HookState): HookState {
  return state.finish === null ? state : { ...state, finish: { ...state.finish, isTold: true } };
}

/**
 * A user message resets the detector: earlier calls no longer count. If it only asks to continue, they still do; what an
 * agent writes in the name of its user changes nothing.
 */
export function resetHookState(before: HookState, text: string): HookState {
  const written = removeHostText(text);
  if (written === '' && text.trim() !== '') return before;
  if (before.ladder === null || written === '' || !isContinuationMessage(written)) return initialHookState;
  const detector = resetReplyWindows(before.ladder.detector);
  return { ...initialHookState, ladder: { detector, blockedCalls: [] } };
}

function denyFinishedCall(
  state: HookState,
  before: FinishedWork,
  { reply }: HookCall,
  { isSubAgent, reportsModelCalls = false }: HookLimits,
): HookJudgment {
  const denied = { ...before, denials: before.denials + 1 };
  // The denial of the first call tells the model, if nothing has told it before.
  const finish = reply === undefined ? denied : { reply, ...denied };
  const { reason, denials } = finish;
  const isStop = isSubAgent
    ? denials > maxSubAgentDenialsBeforeStop
    : finish.isTold === true || (!reportsModelCalls && isLaterReply(finish, reply));
  return isStop
    ? {
        state: { ...state, finish: { ...finish, isStopped: true } },
        decision: { kind: 'stop', text: reason },
      }
    : { state: { ...state, finish }, decision: { kind: 'deny', text: reason } };
}

/** Whether a call belongs to a later reply than the one whose results tell the model that the work is finished. */
function isLaterReply({ denials, ...finish }: FinishedWork, reply: string | undefined): boolean {
  return finish.reply === undefined || reply === undefined
    ? denials > maxDenialsBeforeStop
    : reply !== finish.reply;
}

function formatFinishMessage(advice: string): string {
  return (
    `This work has come to its end. ${advice} No more tools will be run: answer now with what you have found out, say what ` +
    'you could not do and why, and what is left to do.'
  );
}

/** Persists the state of all agents of all hosts, because each hook is a separate process and several run at once. */
export type HookStateStore = {
  /** Updates a state exclusively; if `change` throws, the state stays as it was. */
  change<Result>(
    agentKey: HookAgentKey,
    change: (state: HookState) => {
      readonly state: HookState;
      readonly result: Result;
      /** What the governor did, to be counted. */
      readonly activity?: HookActivityKind | null;
    },
  ): Result;
  /** Deletes a session's state, including its sub-agents. */
  remove(agentKey: Pick<HookAgentKey, 'host' | 'session'>): void;
  /** Counts what the governor did since a time, for each host. */
  readActivity(since: number): ReadonlyMap<string, HookActivity>;
  close(): void;
};

/** How often the governor did something. */
export type HookActivity = Readonly<Record<HookActivityKind, number>>;

type HookActivityKind = 'sessions' | 'advice' | 'denials' | 'stops';

export type HookAgentKey = { readonly host: string; readonly session: string; readonly agent: string };

/** How long a hook waits for the lock on a busy machine; it must end before the host's own timeout of ten seconds. */
const lockTimeoutMs = 8_000;

const dayMs = 24 * 3_600_000;

/** Age after which a session counts as ended, even if its host never reported the end. */
const stateMaxAgeMs = 30 * dayMs;

/** Age after which the counts of a day are deleted. */
const activityMaxAgeMs = 90 * dayMs;

export function getHooksFile(): string {
  return join(getDataFolder(), 'hooks.sqlite');
}

export function openHookStateStore(file: string, now: () => number): HookStateStore {
  ensureParentFolder(file);
  const database = new DatabaseSync(file, { timeout: lockTimeoutMs });
  // A power failure loses only a few calls, whereas waiting for the disk would slow down every call. A hook exits without
  // closing, so the write-ahead log stays and is read by the next hook: a checkpoint every 200 pages keeps it short.
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    pragma wal_autocheckpoint = 200;
    drop table if exists minds;
    create table if not exists states (
      host text not null, session text not null, agent text not null, at integer not null, state text not null,
      primary key (host, session, agent)
    ) strict, without rowid;
    create table if not exists activity (
      day integer not null, host text not null, kind text not null, count integer not null,
      primary key (day, host, kind)
    ) strict, without rowid;
  `);
  const countActivity = (host: string, kind: HookActivityKind): void => {
    database
      .prepare(
        `insert into activity (day, host, kind, count) values (?, ?, ?, 1)
         on conflict (day, host, kind) do update set count = count + 1`,
      )
      .run(Math.floor(now() / dayMs), host, kind);
  };
  return {
    change({ host, session, agent }, change) {
      database.exec('begin immediate');
      try {
        const row = database
          .prepare('select state from states where host = ? and session = ? and agent = ?')
          .get(host, session, agent);
        const before = row === undefined ? initialHookState : parseHookState(row['state']);
        const { state, result, activity = null } = change(before);
        if (activity !== null) countActivity(host, activity);
        if (row === undefined && state !== before) {
          database.prepare('delete from states where at < ?').run(now() - stateMaxAgeMs);
          database
            .prepare('delete from activity where day < ?')
            .run(Math.floor((now() - activityMaxAgeMs) / dayMs));
          if (agent === '') countActivity(host, 'sessions');
        }
        if (state !== before) {
          database
            .prepare('insert or replace into states (host, session, agent, at, state) values (?, ?, ?, ?, ?)')
            .run(host, session, agent, now(), JSON.stringify(state));
        }
        database.exec('commit');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw error;
      }
    },
    remove({ host, session }) {
      database.prepare('delete from states where host = ? and session = ?').run(host, session);
    },
    readActivity(since) {
      const rows = database
        .prepare('select host, kind, sum(count) as count from activity where day >= ? group by host, kind')
        .all(Math.floor(since / dayMs));
      const activities = new Map<string, Record<HookActivityKind, number>>();
      for (const { host, kind, count } of rows) {
        const activity = activities.get(String(host)) ?? { sessions: 0, advice: 0, denials: 0, stops: 0 };
        activities.set(String(host), { ...activity, [String(kind)]: Number(count) });
      }
      return activities;
    },
    close: () => database.close(),
  };
}

/** Resets state that was written by an incompatible version. */
function parseHookState(text: unknown): HookState {
  const state: unknown = JSON.parse(String(text));
  const isOurs =
    typeof state === 'object' &&
    state !== null &&
    'version' in state &&
    state.version === initialHookState.version;
  return isOurs ? (state as HookState) : initialHookState;
}
