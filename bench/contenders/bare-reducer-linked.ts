import type { ToolCall, ConversationMessage } from '@pawl/core';
import { performAction, type TurnContender } from './contender.ts';
import { toAssistantMessage, toToolMessage, toUserMessage } from './messages.ts';
import type { TurnEvent } from './turn-events.ts';

/** A linked list with the newest message first. */
type LinkedHistory = { readonly message: ConversationMessage; readonly before: LinkedHistory } | null;

type LinkedState = {
  readonly status: 'waitingForUser' | 'callingModel' | 'executingTools' | 'postToolsHook';
  readonly history: LinkedHistory;
  readonly calls: readonly ToolCall[];
  readonly open: number;
};

type LinkedAction =
  | { readonly type: 'ask-model'; readonly history: LinkedHistory }
  | { readonly type: 'run-tools'; readonly calls: readonly ToolCall[] }
  | { readonly type: 'run-hooks'; readonly calls: readonly ToolCall[] };

type LinkedTransition = { readonly state: LinkedState; readonly actions: readonly LinkedAction[] };

const noCalls: readonly ToolCall[] = [];
const noLinkedActions: readonly LinkedAction[] = [];

/**
 * A second copy of the bare reducer, so that the engine compiles each separately. A linked list is the cheapest
 * immutable structure to append to, but it cannot be read from the start or, when long, be serialized to JSON.
 */
function reduceLinked(state: LinkedState, event: TurnEvent): LinkedTransition {
  const { history, calls, open } = state;
  switch (event.type) {
    case 'user-message':
      return askLinkedModel({ message: toUserMessage(event), before: history });
    case 'model-replied': {
      const after = { message: toAssistantMessage(event), before: history };
      if (event.calls.length === 0) return returnToLinkedIdle(after);
      return {
        state: { status: 'executingTools', history: after, calls: event.calls, open: event.calls.length },
        actions: [{ type: 'run-tools', calls: event.calls }],
      };
    }
    case 'tool-finished': {
      const after = { message: toToolMessage(event, calls), before: history };
      if (open > 1) {
        return {
          state: { status: 'executingTools', history: after, calls, open: open - 1 },
          actions: noLinkedActions,
        };
      }
      return {
        state: { status: 'postToolsHook', history: after, calls: noCalls, open: 0 },
        actions: [{ type: 'run-hooks', calls }],
      };
    }
    case 'hooks-finished':
      return askLinkedModel(history);
    default:
      return event satisfies never;
  }
}

function askLinkedModel(history: LinkedHistory): LinkedTransition {
  return {
    state: { status: 'callingModel', history, calls: noCalls, open: 0 },
    actions: [{ type: 'ask-model', history }],
  };
}

function returnToLinkedIdle(history: LinkedHistory): LinkedTransition {
  return { state: { status: 'waitingForUser', history, calls: noCalls, open: 0 }, actions: noLinkedActions };
}

export const bareReducerLinked: TurnContender<LinkedState> = {
  name: 'bare, linked list',
  library: null,
  create: () => ({ status: 'waitingForUser', history: null, calls: noCalls, open: 0 }),
  handleEvent(session, event) {
    const { state, actions } = reduceLinked(session, event);
    for (const action of actions) performAction(action);
    return state;
  },
  getStatus: ({ status }) => status,
  getMessages: ({ history }) => toOldestFirst(history),
};

function toOldestFirst(history: LinkedHistory): readonly ConversationMessage[] {
  const messages: ConversationMessage[] = [];
  for (let entry = history; entry !== null; entry = entry.before) messages.push(entry.message);
  return messages.toReversed();
}
