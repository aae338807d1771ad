import type { Json } from '@pawl/core';
import type { ModelMessage, PrepareStepFunction, StepResult, StopCondition, ToolSet } from 'ai';
import { createConversationJudge, type ConversationJudge } from './conversation-judge.ts';
import { findRefusalReason, type GovernorDecision } from './governor-decision.ts';
import type { GovernOptions } from './options.ts';

// The SDK's types bind a step to one tool set, which is unknown here.
export type PrepareStepHook = PrepareStepFunction<never>;
export type StopRule = StopCondition<never>;
/** Versions 5 and 6 pass only `messages`, without the changes made for earlier steps. */
type PrepareStepOptions = Pick<Parameters<PrepareStepHook>[0], 'messages' | 'steps'> &
  Partial<Pick<Parameters<PrepareStepHook>[0], 'initialMessages' | 'responseMessages'>>;
type StepOverride = Exclude<Awaited<ReturnType<PrepareStepHook>>, undefined>;
type LoopStep = StepResult<never>;

/** The parts of a governed loop, for its settings. */
export type LoopGovernor = {
  readonly prepare: (step: PrepareStepOptions, theirs: StepOverride | undefined) => StepOverride | undefined;
  readonly isOver: StopRule;
  /** Wraps a tool so that a blocked call throws an error with the reason. */
  readonly guard: (tool: ToolSet[string], name: string) => ToolSet[string];
  /** Judges the messages that a tool call is passed. */
  readonly judge: ConversationJudge<ModelMessage>;
};

/** `normalize` rewrites messages whose tool results the governor cannot read. */
export function createLoopGovernor(
  options: GovernOptions,
  normalize: (message: ModelMessage) => ModelMessage = (message) => message,
): LoopGovernor {
  const usage = new WeakMap<object, LoopStep['usage']>();
  const judge: ConversationJudge<ModelMessage> = createConversationJudge(options, (message) => {
    const counted = usage.get(message);
    const normalized = normalize(message);
    return (counted === undefined ? normalized : { ...normalized, usage: counted }) as Json;
  });
  const advice = new WeakSet<ModelMessage>();
  const beforeLast = new WeakSet<LoopStep>();
  const withoutAdvice = (messages: readonly ModelMessage[]): readonly ModelMessage[] =>
    messages.some((message) => advice.has(message))
      ? messages.filter((message) => !advice.has(message))
      : messages;
  const judgeSent: ConversationJudge<ModelMessage> = (messages) => judge(withoutAdvice(messages));
  return {
    prepare(step, theirs) {
      const latest = step.steps.at(-1);
      const { initialMessages = step.messages, responseMessages = [] } = step;
      const conversation = withoutAdvice([...initialMessages, ...responseMessages]);
      const reply = conversation.findLast(({ role }) => role === 'assistant');
      if (latest !== undefined && reply !== undefined) usage.set(reply, latest.usage);
      const decision = judge(conversation);
      if (decision.finish !== null && latest !== undefined) beforeLast.add(latest);
      // Messages changed for one step stay changed, so remove the advice that was added for the last step.
      const sent = theirs?.messages ?? step.messages;
      const clean = withoutAdvice(sent);
      if (decision.advice === null) return clean === sent ? theirs : { ...theirs, messages: [...clean] };
      const note: ModelMessage = { role: 'user', content: decision.advice };
      advice.add(note);
      return { ...theirs, messages: [...clean, note], ...(decision.dropTools && noToolsOverride) };
    },
    isOver: ({ steps }) => {
      const previous = steps.at(-2);
      return previous !== undefined && beforeLast.has(previous);
    },
    guard: (tool, name) => guardSdkTool(tool, name, judgeSent),
    judge: judgeSent,
  };
}

// With the choice 'none', the SDK would turn a call that the model makes anyway into an error.
const noToolsOverride = { activeTools: [] as never[], toolChoice: 'auto' as const };

type ExecuteTool = (input: never, context: { readonly messages: readonly ModelMessage[] }) => unknown;

function guardSdkTool(
  tool: ToolSet[string],
  name: string,
  judge: (messages: readonly ModelMessage[]) => GovernorDecision,
): ToolSet[string] {
  const execute = tool.execute as ExecuteTool | undefined;
  if (execute === undefined) return tool;
  const run: ExecuteTool = (input, context) => {
    const because = findRefusalReason(judge(context.messages), { tool: name, args: input });
    if (because !== null) throw new Error(because);
    return execute.call(tool, input, context);
  };
  return { ...tool, execute: run } as ToolSet[string];
}
