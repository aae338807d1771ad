import { rulesFor, type Action, type ActionType, type Session } from '@pawl/core';
import { inTime, type Clock } from './clock.ts';
import { requestFor } from './prompt.ts';
import { askModel, messageOf, runTool, type Post, type World } from './work.ts';

/** A piece of work: it runs on its own and answers with events. `name` is the same only for the very same piece. */
export type Piece = {
  readonly request: number;
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<unknown>;
};

export type Means = { readonly world: World; readonly post: Post; readonly clock: Clock };

/** What an action comes to. */
export function piecesOf(action: Action, session: Session, means: Means): readonly Piece[] {
  // The table guarantees that the maker under an action's type takes that action.
  const make = makers[action.type] as Maker<ActionType>;
  return make(action, means, session);
}

type Maker<Type extends ActionType> = (
  action: Extract<Action, { readonly type: Type }>,
  means: Means,
  session: Session,
) => readonly Piece[];

/** Calls that only look may run side by side; as soon as one of them changes something, they run one after the other. */
function isReading({ tools }: World, name: string): boolean {
  return tools.find(({ description }) => description.name === name)?.effect === 'read-only';
}

/** What left working memory was put into storage before; a second copy that cannot be made is no reason to stop. */
function warn(error: unknown): void {
  process.emitWarning(`Storage could not be written: ${messageOf(error)}`, 'PawlWarning');
}

/** For whoever watches; nothing is to be carried out. */
const nothing = (): readonly Piece[] => [];

const makers: { readonly [Type in ActionType]: Maker<Type> } = {
  'ask-model': (action, { world, post, clock }, session) => {
    const { request, deadline } = action;
    const tools = world.tools.map((tool) => tool.description);
    const ask = requestFor(action, session, { prompt: world.prompt, tools, at: clock.now() });
    const cutsChants = rulesFor(session.settings.governor).some((rule) => rule.on === 'chant');
    const run = async (signal: AbortSignal): Promise<void> => {
      await inTime(deadline, { clock, signal }, async (timed) => {
        await askModel(world, ask, { request, post, signal: timed, cutsChants });
        if (timed.aborted && !signal.aborted) {
          const error = {
            kind: 'timeout',
            message: 'The last answer took too long.',
            retryable: false,
          } as const;
          await post({ type: 'model-failed', request, error });
        }
      });
    };
    return [{ request, name: 'model', run }];
  },
  'ask-permission': ({ request, calls }, { world, post }) =>
    calls.map((call) => ({
      request,
      name: `permission ${call.id}`,
      async run(signal) {
        const decision = await world
          .decide(call, signal)
          .catch((error: unknown) => ({ decision: 'deny' as const, reason: messageOf(error) }));
        await post({ type: 'permission-decided', request, callId: call.id, ...decision });
      },
    })),
  'run-tools': ({ request, calls }, { world, post }) => {
    const isFree = calls.every((call) => isReading(world, call.tool));
    let last: Promise<unknown> = Promise.resolve();
    return calls.map((call) => ({
      request,
      name: `tool ${call.id}`,
      run(signal) {
        const run = (): Promise<void> => runTool(world, request, call, { post, signal });
        return isFree ? run() : (last = last.then(run, run));
      },
    }));
  },
  'run-hooks': ({ request, completed }, { world, post }) => [
    {
      request,
      name: 'hooks',
      run: (signal) =>
        world.hooks(completed, signal).then(
          (actionTaken) => post({ type: 'hooks-finished', request, actionTaken }),
          (error: unknown) =>
            post({ type: 'hooks-failed', request, jitter: world.random(), message: messageOf(error) }),
        ),
    },
  ],
  'page-memory': ({ request, reason }, { world, post }) => [
    {
      request,
      name: 'paging',
      run: (signal) =>
        world.page(reason, signal).then(
          (freed) => post({ type: 'paging-finished', request, ...freed }),
          (error: unknown) =>
            post({ type: 'paging-failed', request, jitter: world.random(), message: messageOf(error) }),
        ),
    },
  ],
  store: ({ entries }, { world }, { seq }) => [
    { request: seq, name: 'store', run: () => world.memory.store(entries).catch(warn) },
  ],
  recover: ({ request, verdict }, { world, post, clock }) => [
    {
      request,
      name: 'recovery',
      async run(signal) {
        const { response } = verdict;
        const waitMs = response.kind === 'recover' ? response.waitMs : undefined;
        if (waitMs !== undefined) await clock.until(clock.now() + waitMs, signal);
        const outcome = await world
          .recover(verdict, signal)
          .catch((error: unknown) => ({ kind: 'give-up' as const, reason: messageOf(error) }));
        await post({ type: 'recovery-finished', request, outcome });
      },
    },
  ],
  wait: ({ until }, { post, clock }, { turn }) => {
    if (until === null || turn.status !== 'errorRecovery') return [];
    const { request } = turn;
    return [
      {
        request,
        name: 'retry',
        async run(signal) {
          await clock.until(until, signal);
          if (!signal.aborted) await post({ type: 'retry-due', request });
        },
      },
    ];
  },
  'show-text': nothing,
  'show-error': nothing,
  abort: nothing,
  stop: nothing,
  'shut-down': nothing,
};
