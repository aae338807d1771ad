import type { Call, Message } from '@pawl/core';
import { perform, type Contender } from './contender.ts';
import { assistantMessage, toolMessage, userMessage } from './messages.ts';
import type { TurnEvent } from './turn-events.ts';

/** The newest message first. */
type History = { readonly message: Message; readonly before: History } | null;

type State = {
  readonly status: 'waitingForUser' | 'callingModel' | 'executingTools' | 'postToolsHook';
  readonly history: History;
  readonly calls: readonly Call[];
  readonly open: number;
};

type Todo =
  | { readonly type: 'ask-model'; readonly history: History }
  | { readonly type: 'run-tools'; readonly calls: readonly Call[] }
  | { readonly type: 'run-hooks'; readonly calls: readonly Call[] };

type Next = { readonly state: State; readonly actions: readonly Todo[] };

const noCalls: readonly Call[] = [];
const nothing: readonly Todo[] = [];

/**
 * The bare reducer again, written out a second time so that the engine compiles each for itself. Nothing immutable is
 * cheaper to add to than a linked list; it can neither be read from the start nor, once long, be made into JSON.
 */
function reduce(state: State, event: TurnEvent): Next {
  const { history, calls, open } = state;
  switch (event.type) {
    case 'user-message':
      return ask({ message: userMessage(event), before: history });
    case 'model-replied': {
      const after = { message: assistantMessage(event), before: history };
      if (event.calls.length === 0) return idle(after);
      return {
        state: { status: 'executingTools', history: after, calls: event.calls, open: event.calls.length },
        actions: [{ type: 'run-tools', calls: event.calls }],
      };
    }
    case 'tool-finished': {
      const after = { message: toolMessage(event, calls), before: history };
      if (open > 1) {
        return {
          state: { status: 'executingTools', history: after, calls, open: open - 1 },
          actions: nothing,
        };
      }
      return {
        state: { status: 'postToolsHook', history: after, calls: noCalls, open: 0 },
        actions: [{ type: 'run-hooks', calls }],
      };
    }
    case 'hooks-finished':
      return ask(history);
    default:
      return event satisfies never;
  }
}

function ask(history: History): Next {
  return {
    state: { status: 'callingModel', history, calls: noCalls, open: 0 },
    actions: [{ type: 'ask-model', history }],
  };
}

function idle(history: History): Next {
  return { state: { status: 'waitingForUser', history, calls: noCalls, open: 0 }, actions: nothing };
}

export const bareReducerLinked: Contender<State> = {
  name: 'bare, linked list',
  library: null,
  create: () => ({ status: 'waitingForUser', history: null, calls: noCalls, open: 0 }),
  take(session, event) {
    const { state, actions } = reduce(session, event);
    for (const action of actions) perform(action);
    return state;
  },
  statusOf: ({ status }) => status,
  messagesOf: ({ history }) => oldestFirst(history),
};

function oldestFirst(history: History): readonly Message[] {
  const messages: Message[] = [];
  for (let entry = history; entry !== null; entry = entry.before) messages.push(entry.message);
  return messages.toReversed();
}
