import {
  type ToolCall,
  type ConversationMessage,
  appendItem,
  emptyConversation,
  toItemArray,
  type ConversationHistory,
} from '@pawl/core';
import { action, createMachine, guard, interpret, reduce, state, transition } from 'robot3';
import { performAction, type TurnContender } from './contender.ts';
import { toAssistantMessage, toToolMessage, toUserMessage } from './messages.ts';
import type { TurnEventOfType } from './turn-events.ts';

type RobotContext = {
  readonly history: ConversationHistory<ConversationMessage>;
  readonly calls: readonly ToolCall[];
  readonly open: number;
};

const addRobotUserMessage = reduce((context: RobotContext, event: TurnEventOfType<'user-message'>) => ({
  ...context,
  history: appendItem(context.history, toUserMessage(event)),
}));

const addRobotReply = reduce((context: RobotContext, event: TurnEventOfType<'model-replied'>) => ({
  history: appendItem(context.history, toAssistantMessage(event)),
  calls: event.calls,
  open: event.calls.length,
}));

const addRobotToolResult = reduce((context: RobotContext, event: TurnEventOfType<'tool-finished'>) => ({
  ...context,
  history: appendItem(context.history, toToolMessage(event, context.calls)),
  open: context.open - 1,
}));

const hasCalls = guard((_: RobotContext, event: TurnEventOfType<'model-replied'>) => event.calls.length > 0);
const othersAreOpen = guard((context: RobotContext) => context.open > 1);

/** The turn in the style of the Robot documentation: reducers and guards on transitions, actions on entry. */
const machine = createMachine(
  {
    waitingForUser: state(transition('user-message', 'callingModel', addRobotUserMessage)),
    callingModel: state(
      action(({ history }: RobotContext) => performAction({ type: 'ask-model', history })),
      transition('model-replied', 'executingTools', hasCalls, addRobotReply),
      transition('model-replied', 'waitingForUser', addRobotReply),
    ),
    executingTools: state(
      action(({ calls }: RobotContext) => performAction({ type: 'run-tools', calls })),
      transition('tool-finished', 'executingTools', othersAreOpen, addRobotToolResult),
      transition('tool-finished', 'postToolsHook', addRobotToolResult),
    ),
    postToolsHook: state(
      action(({ calls }: RobotContext) => performAction({ type: 'run-hooks', calls })),
      transition('hooks-finished', 'callingModel'),
    ),
  },
  (): RobotContext => ({ history: emptyConversation, calls: [], open: 0 }),
);

/** Required change callback of a service. */
function ignoreChange(): void {}

function startRobotService() {
  return interpret(machine, ignoreChange);
}

export const robot3Contender: TurnContender<ReturnType<typeof startRobotService>> = {
  name: 'robot3 service',
  library: 'robot3',
  create: startRobotService,
  handleEvent(session, event) {
    session.send(event);
    return session;
  },
  getStatus: (session) => session.machine.current,
  getMessages: (session) => toItemArray(session.context.history),
};
