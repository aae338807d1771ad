import { append, emptyConversation, toArray, type Call, type Conversation, type Message } from '@pawl/core';
import { action, createMachine, guard, interpret, reduce, state, transition } from 'robot3';
import { perform, type Contender } from './contender.ts';
import { assistantMessage, toolMessage, userMessage } from './messages.ts';
import type { EventOf } from './turn-events.ts';

type Context = {
  readonly history: Conversation<Message>;
  readonly calls: readonly Call[];
  readonly open: number;
};

const hear = reduce((context: Context, event: EventOf<'user-message'>) => ({
  ...context,
  history: append(context.history, userMessage(event)),
}));

const reply = reduce((context: Context, event: EventOf<'model-replied'>) => ({
  history: append(context.history, assistantMessage(event)),
  calls: event.calls,
  open: event.calls.length,
}));

const answer = reduce((context: Context, event: EventOf<'tool-finished'>) => ({
  ...context,
  history: append(context.history, toolMessage(event, context.calls)),
  open: context.open - 1,
}));

const hasCalls = guard((_: Context, event: EventOf<'model-replied'>) => event.calls.length > 0);
const othersAreOpen = guard((context: Context) => context.open > 1);

/** The turn as the Robot documentation writes machines: reducers and guards on transitions, actions on entry. */
const machine = createMachine(
  {
    waitingForUser: state(transition('user-message', 'callingModel', hear)),
    callingModel: state(
      action(({ history }: Context) => perform({ type: 'ask-model', history })),
      transition('model-replied', 'executingTools', hasCalls, reply),
      transition('model-replied', 'waitingForUser', reply),
    ),
    executingTools: state(
      action(({ calls }: Context) => perform({ type: 'run-tools', calls })),
      transition('tool-finished', 'executingTools', othersAreOpen, answer),
      transition('tool-finished', 'postToolsHook', answer),
    ),
    postToolsHook: state(
      action(({ calls }: Context) => perform({ type: 'run-hooks', calls })),
      transition('hooks-finished', 'callingModel'),
    ),
  },
  (): Context => ({ history: emptyConversation, calls: [], open: 0 }),
);

/** Called after every change; a service cannot be had without it. */
function changed(): void {}

function start() {
  return interpret(machine, changed);
}

export const robot3: Contender<ReturnType<typeof start>> = {
  name: 'robot3 service',
  library: 'robot3',
  create: start,
  take(session, event) {
    session.send(event);
    return session;
  },
  statusOf: (session) => session.machine.current,
  messagesOf: (session) => toArray(session.context.history),
};
