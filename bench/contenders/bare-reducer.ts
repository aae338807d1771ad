import { append, emptyConversation, toArray, type Call, type Conversation, type Message } from '@pawl/core';
import { perform, type Contender } from './contender.ts';
import { assistantMessage, toolMessage, userMessage } from './messages.ts';
import type { TurnEvent } from './turn-events.ts';

type State = {
  readonly status: 'waitingForUser' | 'callingModel' | 'executingTools' | 'postToolsHook';
  readonly history: Conversation<Message>;
  readonly calls: readonly Call[];
  readonly open: number;
};

type Todo =
  | { readonly type: 'ask-model'; readonly history: Conversation<Message> }
  | { readonly type: 'run-tools'; readonly calls: readonly Call[] }
  | { readonly type: 'run-hooks'; readonly calls: readonly Call[] };

type Next = { readonly state: State; readonly actions: readonly Todo[] };

const noCalls: readonly Call[] = [];
const nothing: readonly Todo[] = [];

/**
 * The smallest reducer that does the turn: the practical limit. It checks nothing and knows no other way to go. It keeps
 * the conversation in the list that Pawl and the peers keep it in, so that machines are compared and not lists.
 */
function reduce(state: State, event: TurnEvent): Next {
  const { history, calls, open } = state;
  switch (event.type) {
    case 'user-message':
      return ask(append(history, userMessage(event)));
    case 'model-replied': {
      const after = append(history, assistantMessage(event));
      if (event.calls.length === 0) return idle(after);
      return {
        state: { status: 'executingTools', history: after, calls: event.calls, open: event.calls.length },
        actions: [{ type: 'run-tools', calls: event.calls }],
      };
    }
    case 'tool-finished': {
      const after = append(history, toolMessage(event, calls));
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

function ask(history: Conversation<Message>): Next {
  return {
    state: { status: 'callingModel', history, calls: noCalls, open: 0 },
    actions: [{ type: 'ask-model', history }],
  };
}

function idle(history: Conversation<Message>): Next {
  return { state: { status: 'waitingForUser', history, calls: noCalls, open: 0 }, actions: nothing };
}

export const bareReducer: Contender<State> = {
  name: 'bare reducer',
  library: null,
  create: () => ({ status: 'waitingForUser', history: emptyConversation, calls: noCalls, open: 0 }),
  take(session, event) {
    const { state, actions } = reduce(session, event);
    for (const action of actions) perform(action);
    return state;
  },
  statusOf: ({ status }) => status,
  messagesOf: ({ history }) => toArray(history),
};
