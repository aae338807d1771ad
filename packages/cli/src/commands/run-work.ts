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
  memoryTools,
  systemProbe,
  thisProcess,
  watchResources,
  type Config,
  type FolderIndex,
  type Seen,
  type TakenUp,
} from '@pawl/runtime';
import type { OpenedStore } from '../store-option.ts';
import type { Terminal } from '../terminal.ts';
import type { LiveControls } from '../tui/live-view.ts';
import type { ModelFlags } from './model-options.ts';
import { setUp, type RunSetup } from './run-setup.ts';
import type { RunTrace } from './run-trace.ts';
import type { RunResult, RunView } from './run-view.ts';
import { shortId } from '../short-id.ts';

/** What a run works with, whether it begins a session or goes on with one. */
export type Job = {
  readonly id: string;
  readonly folder: FolderIndex;
  readonly profile: Profile;
  readonly budgets: Budgets | null;
  readonly signal: AbortSignal;
  readonly view: RunView;
  readonly trace: RunTrace;
  readonly flags: ModelFlags & { readonly watchResources?: boolean | undefined };
  readonly config: Config;
  readonly terminal: Terminal | null;
  readonly opened: OpenedStore;
  readonly opening: Opening;
};

export type Opening =
  | { readonly kind: 'new'; readonly goal: string | null; readonly about: Json }
  /** `message` is what the user has to say, if anything. */
  | { readonly kind: 'resumed'; readonly taken: TakenUp; readonly message: string | null };

/** Drives a session until there is nothing left to do, or until the user leaves. */
export async function work({ view, trace, opened, opening, ...job }: Job): Promise<RunResult> {
  const { signal, id } = job;
  const tally = { modelCalls: 0, toolCalls: 0, error: null as string | null };
  const startedAt = Date.now();
  const phases = createPhaseTools({
    post: (event) => agent.post(event),
    phases: () => agent.session.phases,
  });
  const setup = await setUp({
    ...job,
    phases,
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
  const agent: Agent = new Agent({
    ...means,
    ...taken,
    spool,
    model: trace.model(means.model),
    tools,
    observe(seen) {
      keepCount(tally, seen);
      view.see(seen);
      trace.see(seen);
      see(seen);
      if (!isEphemeral(seen.event)) keeping.add(() => keep(seen.session));
    },
    onTrouble: (trouble) => view.trouble(trouble),
  });
  const watch = job.flags.watchResources === true ? watchMachine(agent, job.folder.root, view) : null;
  signal.addEventListener('abort', leave, { once: true });
  try {
    view.control(agent.session, controlsOf(agent, leave));
    if (signal.aborted) leave();
    await start(agent, opening);
    const session = await converse(agent, view, leaving.signal);
    await keeping.done();
    const isDone = session.turn.status === 'waitingForUser' || isTerminal(session);
    // With nothing under way, nothing is waiting there for the log.
    if (isDone) await spool.keepOnly([]);
    const { modelCalls, toolCalls } = tally;
    const durationMs = Date.now() - startedAt;
    const end = isDone ? ending(session, tally.error) : interrupted(id, opened);
    return { ...end, session: id, modelCalls, toolCalls, durationMs };
  } finally {
    signal.removeEventListener('abort', leave);
    watch?.stop();
    await close();
  }
}

/** Keeps a new session, with what its model is told besides, so that nothing of it is ever only in this process. */
async function begin(
  { store, path }: OpenedStore,
  { session, prompt = '', tools, memory }: RunSetup['means'],
  about: Json,
): Promise<Partial<TakenUp>> {
  const offered =
    session.memory === null || memory === undefined ? tools : [...tools, ...memoryTools(memory)];
  const told = { prompt, tools: offered.map(({ description }) => ({ ...description })) };
  const position = await store.create(session, thisProcess(), {
    about: path === null ? about : { ...Object(about), ...told },
  });
  return { log: eventLogOn(store, session.id, position) };
}

async function start(agent: Agent, opening: Opening): Promise<void> {
  if (opening.kind === 'resumed') await agent.resume();
  const said = opening.kind === 'new' ? opening.goal : opening.message;
  if (said !== null) void agent.say(said);
}

/** Goes on for as long as there is something to go on with. */
async function converse(agent: Agent, view: RunView, leaving: AbortSignal): Promise<Session> {
  for (;;) {
    const session = await agent.idle();
    if (leaving.aborted || isTerminal(session)) return session;
    const next = await view.next(session);
    if (next.kind === 'end') return agent.session;
    if (next.kind === 'say') await agent.say(next.text);
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

function keepCount(
  tally: { modelCalls: number; toolCalls: number; error: string | null },
  { actions, event }: Seen,
): void {
  if (event.type === 'tool-started') tally.toolCalls += 1;
  for (const action of actions) {
    if (action.type === 'ask-model') tally.modelCalls += 1;
    if (action.type === 'show-error') tally.error = action.message;
  }
}

type Ending = Pick<RunResult, 'status' | 'answer' | 'reason'>;

function interrupted(id: string, { path }: OpenedStore): Ending {
  const reason =
    path === null ? 'Interrupted.' : `Interrupted, and kept. Go on with: pawl resume ${shortId(id)}`;
  return { status: 'interrupted', answer: null, reason };
}

function ending(session: Session, error: string | null): Ending {
  const answer = answerOf(conversationOf(session));
  const { turn } = session;
  if (turn.status === 'halted') {
    const { reason } = turn.why;
    const stuck = wasAllDenied(session) ? 'denied' : 'stuck';
    const status = turn.why.kind === 'budget' ? 'budget' : stuck;
    return { status, answer: answer ?? summarise(turn.conversation, reason), reason };
  }
  if (isTerminal(session)) return { status: 'interrupted', answer: null, reason: 'Interrupted.' };
  if (answer !== null) return { status: 'answered', answer, reason: null };
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
