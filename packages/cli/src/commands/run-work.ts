import {
  conversationOf,
  isEphemeral,
  isTerminal,
  items,
  summarise,
  type Budgets,
  type Json,
  type Profile,
  type Session,
} from '@pawl/core';
import {
  Agent,
  answerOf,
  createPhaseTools,
  eventLogOn,
  systemProbe,
  thisProcess,
  watchResources,
  type Config,
  type FolderIndex,
  type Seen,
  type TakenUp,
} from '@pawl/runtime';
import type { Telemetry } from '@pawl/telemetry';
import type { OpenedStore } from '../store-option.ts';
import type { Terminal } from '../terminal.ts';
import type { LiveControls } from '../tui/live-view.ts';
import { hearCommands, type Ears } from './hear-commands.ts';
import type { ModelFlags } from './model-options.ts';
import { setUp, type RunSetup } from './run-setup.ts';
import { observing } from './run-telemetry.ts';
import type { RunTrace } from './run-trace.ts';
import type { RunResult, RunView } from './run-view.ts';
import { shortId } from '../short-id.ts';
import { manifestOf } from './manifest.ts';

/** What a run works with, whether it begins a session or goes on with one. */
export type Job = {
  readonly id: string;
  readonly folder: FolderIndex;
  readonly profile: Profile;
  readonly budgets: Budgets | null;
  readonly signal: AbortSignal;
  readonly view: RunView;
  readonly trace: RunTrace;
  readonly telemetry: Telemetry | null;
  readonly flags: ModelFlags & { readonly watchResources?: boolean | undefined };
  readonly config: Config;
  readonly terminal: Terminal | null;
  readonly opened: OpenedStore;
  readonly opening: Opening;
};

export type Opening =
  | { readonly kind: 'new'; readonly goal: string | null; readonly about: Json }
  /** `message` is what the user has to say, if anything. */
  | {
      readonly kind: 'resumed';
      readonly taken: TakenUp;
      readonly message: string | null;
      readonly about: Json;
    };

/** Drives a session until there is nothing left to do, or until the user leaves. */
export async function work({ view, trace, opened, opening, ...job }: Job): Promise<RunResult> {
  const { signal, id } = job;
  const tally: Tally = { modelCalls: 0, toolCalls: 0, error: null, isCalledOff: false };
  const startedAt = Date.now();
  const phases = createPhaseTools({
    post: (event) => agent.post(event),
    phases: () => agent.session.phases,
  });
  const setup = await setUp({
    ...job,
    phases,
    storage: opened.memoryFor(job.folder.root, opening),
    session: opening.kind === 'resumed' ? opening.taken.session : null,
    asks: view.asks,
    report: (line) => view.warn(line),
  });
  const { means, keep, see, close, warnings } = setup;
  for (const line of warnings) view.warn(line);
  const spool = opened.spoolFor(id);
  const leaving = new AbortController();
  const leave = (): void => {
    leaving.abort();
    void agent.leave();
  };
  const keeping = inTurn(leave);
  const tools = means.session.mode === null ? [...means.tools, ...phases] : means.tools;
  const taken =
    opening.kind === 'resumed' ? opening.taken : await begin(opened, { ...means, tools }, opening.about);
  const ears = hearCommands(opened, id, taken.fence);
  const observer = observing(job.telemetry, means.session);
  const agent: Agent = new Agent({
    ...observer.within({ ...traced(means, trace), tools }),
    ...taken,
    spool,
    observe(seen) {
      keepCount(tally, seen);
      view.see(seen);
      trace.see(seen);
      observer.see(seen);
      see(seen);
      ears.see(seen);
      if (!isEphemeral(seen.event)) keeping.add(() => keep(seen.session));
    },
    onTrouble: (trouble) => view.trouble(trouble),
  });
  const watch = job.flags.watchResources === true ? watchMachine(agent, job.folder.root, view) : null;
  signal.addEventListener('abort', leave, { once: true });
  try {
    view.control(agent.session, controlsOf(agent, leave));
    if (signal.aborted) leave();
    await start(agent, opening, ears);
    ears.listen(agent);
    const session = await converse(agent, { view, ears, leaving: leaving.signal });
    await keeping.done();
    const isDone = session.turn.status === 'waitingForUser' || isTerminal(session);
    // With nothing under way, nothing is waiting there for the log.
    if (isDone) await spool.keepOnly([]);
    const { modelCalls, toolCalls } = tally;
    const durationMs = Date.now() - startedAt;
    const end = isDone ? ending(session, tally) : interrupted(id, opened);
    return { ...end, session: id, modelCalls, toolCalls, durationMs };
  } finally {
    signal.removeEventListener('abort', leave);
    watch?.stop();
    observer.end();
    await ears.stop();
    await close();
  }
}

/** What is sent to a model and what it says is in the trace, whichever model it is. */
function traced(means: RunSetup['means'], trace: RunTrace): RunSetup['means'] {
  const { model, summaryModel = null } = means;
  return { ...means, model: trace.model(model), summaryModel: summaryModel && trace.model(summaryModel) };
}

/** Keeps a new session, with what its model is told besides, so that nothing of it is ever only in this process. */
async function begin(
  { store, path }: OpenedStore,
  means: RunSetup['means'],
  about: Json,
): Promise<Partial<TakenUp>> {
  const { session } = means;
  const position = await store.create(session, thisProcess(), {
    about: path === null ? about : { ...Object(about), ...manifestOf(session, means) },
  });
  return { fence: position.fence, log: eventLogOn(store, session.id, position) };
}

async function start(agent: Agent, opening: Opening, ears: Ears): Promise<void> {
  // What was decided meanwhile is heard before anybody is asked once more.
  if (opening.kind === 'resumed') await Promise.all([agent.resume(), ears.hear(agent)]);
  const said = opening.kind === 'new' ? opening.goal : opening.message;
  if (said !== null) void agent.say(said);
}

/** Goes on for as long as there is something to go on with. */
async function converse(
  agent: Agent,
  { view, ears, leaving }: { readonly view: RunView; readonly ears: Ears; readonly leaving: AbortSignal },
): Promise<Session> {
  for (;;) {
    const session = await agent.idle();
    if (leaving.aborted || isTerminal(session)) return session;
    // Nobody is left alone with what was said just before the end.
    await ears.hear(agent);
    if (agent.session !== session) continue;
    const next = await view.next(session);
    if (next.kind === 'say') await agent.say(next.text);
    if (next.kind !== 'end') continue;
    await ears.stop();
    if (agent.session === session || leaving.aborted) return agent.session;
    ears.listen(agent);
  }
}

function controlsOf(agent: Agent, leave: () => void): LiveControls {
  const say = (text: string): void => void agent.say(text);
  return {
    say,
    steer: say,
    pause: () => void agent.post({ type: 'pause-requested', reason: 'the user asked for it' }),
    resume: () => void agent.post({ type: 'resume-requested' }),
    finish: () => void agent.post({ type: 'finish-requested', reason: 'the user asked for it' }),
    cancel: () => void agent.post({ type: 'cancel-requested' }),
    leave,
  };
}

/** Pauses the work while the machine has no room for it. */
function watchMachine(agent: Agent, folder: string, view: RunView): { stop(): void } {
  return watchResources({
    post: (event) => agent.post(event),
    session: () => agent.session,
    probe: systemProbe(folder),
    report: (line) => view.warn(line),
  });
}

/** Does one thing after the other. When one fails, nothing more is done, and whoever asks at the end is told. */
function inTurn(onFailure: () => void): { add(piece: () => Promise<void>): void; done(): Promise<void> } {
  let last = Promise.resolve();
  return {
    add(piece) {
      last = last.then(piece);
      last.catch(onFailure);
    },
    done: () => last,
  };
}

type Tally = { modelCalls: number; toolCalls: number; error: string | null; isCalledOff: boolean };

function keepCount(tally: Tally, { actions, event }: Seen): void {
  if (event.type === 'tool-started') tally.toolCalls += 1;
  if (event.type === 'cancel-requested') tally.isCalledOff = true;
  for (const action of actions) {
    if (action.type === 'ask-model') {
      tally.modelCalls += 1;
      tally.isCalledOff = false;
    }
    if (action.type === 'show-error') tally.error = action.message;
  }
}

type Ending = Pick<RunResult, 'status' | 'answer' | 'reason'>;

function interrupted(id: string, { path }: OpenedStore): Ending {
  const reason =
    path === null ? 'Interrupted.' : `Interrupted, and kept. Go on with: pawl resume ${shortId(id)}`;
  return { status: 'interrupted', answer: null, reason };
}

function ending(session: Session, { error, isCalledOff }: Tally): Ending {
  const answer = answerOf(conversationOf(session));
  const { turn } = session;
  if (turn.status === 'halted') {
    const { reason, kind } = turn.why;
    if (kind === 'requested') return { status: 'interrupted', answer, reason: `Ended for good: ${reason}` };
    const stuck = wasAllDenied(session) ? 'denied' : 'stuck';
    const status = kind === 'budget' ? 'budget' : stuck;
    return { status, answer: answer ?? summarise(turn.conversation, reason), reason };
  }
  if (isTerminal(session)) return { status: 'interrupted', answer: null, reason: 'Interrupted.' };
  if (answer !== null) return { status: 'answered', answer, reason: null };
  if (isCalledOff) return { status: 'interrupted', answer, reason: 'Called off.' };
  if (wasAllDenied(session))
    return { status: 'denied', answer, reason: 'Nothing it wanted to do was allowed.' };
  return { status: 'failed', answer, reason: error ?? 'The model gave no answer.' };
}

/** Whether the work since the user spoke came to calls that were denied, and to nothing else. */
function wasAllDenied(session: Session): boolean {
  let denied = 0;
  let others = 0;
  for (const message of items(conversationOf(session))) {
    if (message.role === 'user') denied = others = 0;
    if (message.role !== 'tool') continue;
    const { outcome } = message;
    const kind = outcome.ok ? 'ok' : outcome.error.kind;
    if (kind === 'denied') denied += 1;
    else if (kind !== 'skipped' && kind !== 'cancelled') others += 1;
  }
  return denied > 0 && others === 0;
}
