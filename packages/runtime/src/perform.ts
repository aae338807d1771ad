import { rulesFor, type Action, type ActionType, type Call, type Session } from '@pawl/core';
import { inTime, type Clock } from './clock.ts';
import { requestFor } from './prompt.ts';
import { executionId } from './executions/execution-id.ts';
import { runTool, startsItself, toolNamed, type RunMeans } from './executions/run-tool.ts';
import { settleAll, unsettled } from './executions/settle.ts';
import { askModel, messageOf, type World } from './work.ts';

/** A piece of work: it runs on its own and answers with events. `name` is the same only for the very same piece. */
export type Piece = {
  readonly request: number;
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<unknown>;
};

export type Means = Pick<RunMeans, 'world' | 'post' | 'isKept'> & { readonly clock: Clock };

/** What an action comes to. */
export function piecesOf(action: Action, session: Session, means: Means): readonly Piece[] {
  // The table guarantees that the maker under an action's type takes that action.
  const make = makers[action.type] as Maker<ActionType>;
  return make(action, means, session);
}

/**
 * Whether the first thing that an action does, if it does anything, is to post, and nothing comes before that is kept. Such
 * an action may begin before the event is kept that asks for it: both are kept together.
 */
export function beginsWithPost(action: Action, { world }: Means): boolean {
  switch (action.type) {
    case 'run-tools':
      return !action.calls.some((call) => startsItself(world, call));
    case 'wait':
      return action.until === null;
    default:
      return action.type === 'show-text' || action.type === 'show-error';
  }
}

type Maker<Type extends ActionType> = (
  action: Extract<Action, { readonly type: Type }>,
  means: Means,
  session: Session,
) => readonly Piece[];

/** Finding out what became of calls that were running when another process ended; null when there were none. */
export function settlementOf(session: Session, { world, post, isKept }: Means): Piece | null {
  const open = unsettled(session);
  if (open === null) return null;
  const run = (signal: AbortSignal): Promise<void> => settleAll(open, { world, post, signal, isKept });
  return { request: open.request, name: 'settlement', run };
}

/** What the piece is called that asks somebody about a call. */
export function permissionPiece({ id }: Pick<Call, 'id'>): string {
  return `permission ${id}`;
}

/** Calls that only look may run side by side; as soon as one of them changes something, they run one after the other. */
function isReading(world: World, name: string): boolean {
  return toolNamed(world, name)?.effect === 'read-only';
}

/** What was called off has no result; if it is still wanted, it is begun anew. */
async function unless(signal: AbortSignal, post: () => Promise<boolean>): Promise<void> {
  if (!signal.aborted) await post();
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
      name: permissionPiece(call),
      async run(signal) {
        const decision = await world
          .decide(call, signal)
          .catch((error: unknown) => ({ decision: 'deny' as const, reason: messageOf(error) }));
        // Called off is not decided: whoever takes the session up asks again.
        if (!signal.aborted)
          await post({ type: 'permission-decided', request, callId: call.id, ...decision });
      },
    })),
  'run-tools': ({ request, calls }, means, { id }) => {
    const { world } = means;
    const isFree = calls.every((call) => isReading(world, call.tool));
    let last: Promise<unknown> | null = null;
    return calls.map((call) => ({
      request,
      name: `tool ${call.id}`,
      run(signal) {
        const execution = executionId(id, request, call.id);
        const run = (): Promise<void> => runTool({ request, call, execution }, { ...means, signal });
        if (isFree) return run();
        // The first begins at once, so that its start is said before what asks for it is kept.
        last = last === null ? run() : last.then(run, run);
        return last;
      },
    }));
  },
  'run-hooks': ({ request, completed }, { world, post }) => [
    {
      request,
      name: 'hooks',
      run: (signal) =>
        world.hooks(completed, signal).then(
          (actionTaken) => unless(signal, () => post({ type: 'hooks-finished', request, actionTaken })),
          (error: unknown) =>
            unless(signal, () =>
              post({ type: 'hooks-failed', request, jitter: world.random(), message: messageOf(error) }),
            ),
        ),
    },
  ],
  'page-memory': ({ request, reason }, { world, post }) => [
    {
      request,
      name: 'paging',
      run: (signal) =>
        world.page(reason, signal).then(
          (freed) => unless(signal, () => post({ type: 'paging-finished', request, ...freed })),
          (error: unknown) =>
            unless(signal, () =>
              post({ type: 'paging-failed', request, jitter: world.random(), message: messageOf(error) }),
            ),
        ),
    },
  ],
  // Done by the loop itself, before it takes the next event.
  store: nothing,
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
        await unless(signal, () => post({ type: 'recovery-finished', request, outcome }));
      },
    },
  ],
  wait: ({ until }, { post, clock }, { turn, settings }) => {
    if (until === null || turn.status !== 'errorRecovery') return [];
    const { request, since } = turn;
    // A clock that was set back in the meantime does not make the wait longer than it was to be.
    const longest = Math.min(until - since, Math.max(settings.retryMaxMs, settings.retryAfterMaxMs));
    return [
      {
        request,
        name: 'retry',
        async run(signal) {
          await clock.until(Math.min(until, clock.now() + longest), signal);
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
