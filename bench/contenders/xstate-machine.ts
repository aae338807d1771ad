import { append, emptyConversation, type Call, type Conversation, type Message } from '@pawl/core';
import { assign, setup } from 'xstate';
import { perform } from './contender.ts';
import { assistantMessage, toolMessage, userMessage } from './messages.ts';
import type { TurnEvent } from './turn-events.ts';

type Context = {
  readonly history: Conversation<Message>;
  readonly calls: readonly Call[];
  readonly open: number;
};

/**
 * The turn as the XState documentation writes machines: context by `assign`, effects as named entry actions with params.
 * `transition()` returns those actions and leaves them to the caller; an actor runs them.
 */
export const xstateMachine = setup({
  types: { context: {} as Context, events: {} as TurnEvent },
  actions: {
    'ask-model': (_, { history }: { history: Conversation<Message> }) =>
      perform({ type: 'ask-model', history }),
    'run-tools': (_, { calls }: { calls: readonly Call[] }) => perform({ type: 'run-tools', calls }),
    'run-hooks': (_, { calls }: { calls: readonly Call[] }) => perform({ type: 'run-hooks', calls }),
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
          actions: assign({ history: ({ context, event }) => append(context.history, userMessage(event)) }),
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
              history: append(context.history, assistantMessage(event)),
              calls: event.calls,
              open: event.calls.length,
            })),
          },
          {
            target: 'waitingForUser',
            actions: assign({
              history: ({ context, event }) => append(context.history, assistantMessage(event)),
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
              history: append(context.history, toolMessage(event, context.calls)),
              open: context.open - 1,
            })),
          },
          {
            target: 'postToolsHook',
            actions: assign(({ context, event }) => ({
              history: append(context.history, toolMessage(event, context.calls)),
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
