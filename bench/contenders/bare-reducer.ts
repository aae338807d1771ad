import {
  type ToolCall,
  type ConversationMessage,
  appendItem,
  emptyConversation,
  toItemArray,
  type ConversationHistory,
} from '@pawl/core';
import { performAction, type TurnContender } from './contender.ts';
import { toAssistantMessage, toToolMessage, toUserMessage } from './messages.ts';
import type { TurnEvent } from './turn-events.ts';

type BareState = {
  readonly status: 'waitingForUser' | 'callingModel' | 'executingTools' | 'postToolsHook';
  readonly history: ConversationHistory<ConversationMessage>;
  readonly calls: readonly ToolCall[];
  readonly open: number;
};

type BareAction =
  | { readonly type: 'ask-model'; readonly history: ConversationHistory<ConversationMessage> }
  | { readonly type: 'run-tools'; readonly calls: readonly ToolCall[] }
  | { readonly type: 'run-hooks'; readonly calls: readonly ToolCall[] };

type BareTransition = { readonly state: BareState; readonly actions: readonly BareAction[] };

const noCalls: readonly ToolCall[] = [];
const noBareActions: readonly BareAction[] = [];

/**
 * The smallest reducer that handles the turn: the practical lower bound. It validates nothing and handles no other
 * event order. It stores the conversation in the same list as Pawl and the peers, so that the benchmark compares state
 * machines, not lists.
 */
function reduceBare(state: BareState, event: TurnEvent): BareTransition {
  const { history, calls, open } = state;
  switch (event.type) {
    case 'user-message':
      return askBareModel(appendItem(history, toUserMessage(event)));
    case 'model-replied': {
      const after = appendItem(history, toAssistantMessage(event));
      if (event.calls.length === 0) return returnToIdle(after);
      return {
        state: { status: 'executingTools', history: after, calls: event.calls, open: event.calls.length },
        actions: [{ type: 'run-tools', calls: event.calls }],
      };
    }
    case 'tool-finished': {
      const after = appendItem(history, toToolMessage(event, calls));
      if (open > 1) {
        return {
          state: { status: 'executingTools', history: after, calls, open: open - 1 },
          actions: noBareActions,
        };
      }
      return {
        state: { status: 'postToolsHook', history: after, calls: noCalls, open: 0 },
        actions: [{ type: 'run-hooks', calls }],
      };
    }
    case 'hooks-finished':
      return askBareModel(history);
    default:
      return event satisfies never;
  }
}

function askBareModel(history: ConversationHistory<ConversationMessage>): BareTransition {
  return {
    state: { status: 'callingModel', history, calls: noCalls, open: 0 },
    actions: [{ type: 'ask-model', history }],
  };
}

function returnToIdle(history: ConversationHistory<ConversationMessage>): BareTransition {
  return { state: { status: 'waitingForUser', history, calls: noCalls, open: 0 }, actions: noBareActions };
}

export const bareReducer: TurnContender<BareState> = {
  name: 'bare reducer',
  library: null,
  create: () => ({ status: 'waitingForUser', history: emptyConversation, calls: noCalls, open: 0 }),
  handleEvent(session, event) {
    const { state, actions } = reduceBare(session, event);
    for (const action of actions) performAction(action);
    return state;
  },
  getStatus: ({ status }) => status,
  getMessages: ({ history }) => toItemArray(history),
};
