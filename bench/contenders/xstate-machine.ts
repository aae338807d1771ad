import {
  type ToolCall,
  type ConversationMessage,
  appendItem,
  emptyConversation,
  type ConversationHistory,
} from '@pawl/core';
import { assign, setup } from 'xstate';
import { performAction } from './contender.ts';
import { toAssistantMessage, toToolMessage, toUserMessage } from './messages.ts';
import type { TurnEvent } from './turn-events.ts';

type XStateContext = {
  readonly history: ConversationHistory<ConversationMessage>;
  readonly calls: readonly ToolCall[];
  readonly open: number;
};

/**
 * The turn in the style of the XState documentation: context through `assign`, effects as named entry actions with
 * params. `transition()` returns those actions to the caller; an actor runs them.
 */
export const xstateMachine = setup({
  types: { context: {} as XStateContext, events: {} as TurnEvent },
  actions: {
    'ask-model': (_, { history }: { history: ConversationHistory<ConversationMessage> }) =>
      performAction({ type: 'ask-model', history }),
    'run-tools': (_, { calls }: { calls: readonly ToolCall[] }) =>
      performAction({ type: 'run-tools', calls }),
    'run-hooks': (_, { calls }: { calls: readonly ToolCall[] }) =>
      performAction({ type: 'run-hooks', calls }),
  },
}).createMachine({
  id: 'turn',
  initial: 'waitingForUser',
  context: { history: emptyConversation, calls: [], open: 0 },
  states: {
    waitingForUser: {
      on: {
        'user-message': {
          target: 'callingModel',
          actions: assign({
            history: ({ context, event }) => appendItem(context.history, toUserMessage(event)),
          }),
        },
      },
    },
    callingModel: {
      entry: { type: 'ask-model', params: ({ context }) => ({ history: context.history }) },
      on: {
        'model-replied': [
          {
            guard: ({ event }) => event.calls.length > 0,
            target: 'executingTools',
            actions: assign(({ context, event }) => ({
              history: appendItem(context.history, toAssistantMessage(event)),
              calls: event.calls,
              open: event.calls.length,
            })),
          },
          {
            target: 'waitingForUser',
            actions: assign({
              history: ({ context, event }) => appendItem(context.history, toAssistantMessage(event)),
            }),
          },
        ],
      },
    },
    executingTools: {
      entry: { type: 'run-tools', params: ({ context }) => ({ calls: context.calls }) },
      on: {
        'tool-finished': [
          {
            guard: ({ context }) => context.open > 1,
            actions: assign(({ context, event }) => ({
              history: appendItem(context.history, toToolMessage(event, context.calls)),
              open: context.open - 1,
            })),
          },
          {
            target: 'postToolsHook',
            actions: assign(({ context, event }) => ({
              history: appendItem(context.history, toToolMessage(event, context.calls)),
              open: 0,
            })),
          },
        ],
      },
    },
    postToolsHook: {
      entry: { type: 'run-hooks', params: ({ context }) => ({ calls: context.calls }) },
      on: { 'hooks-finished': { target: 'callingModel' } },
    },
  },
});
