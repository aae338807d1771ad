import type { Json } from '@pawl/core';
import type { ModelMessage, PrepareStepFunction, StepResult, StopCondition, ToolSet } from 'ai';
import { createFollower, type Follower } from './follower.ts';
import { refusalOf, type Judgement } from './judgement.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

/** The settings of `generateText`, `streamText` or `ToolLoopAgent`, as far as the governor has to do with them. */
type LoopSettings = {
  readonly tools?: ToolSet | undefined;
  readonly prepareStep?: PrepareStep | undefined;
  readonly stopWhen?: Stop | readonly Stop[] | undefined;
};

// The SDK's own types tie a step to one set of tools, of which nothing is known here.
type PrepareStep = PrepareStepFunction<never>;
type Stop = StopCondition<never>;
type StepOptions = Parameters<PrepareStep>[0];
type Override = Exclude<Awaited<ReturnType<PrepareStep>>, undefined>;
type Step = StepResult<never>;

/**
 * Governs a loop of the AI SDK: hand over its settings, get them back governed. What they already do in `prepareStep` and
 * `stopWhen` they go on doing. Without a `stopWhen` of theirs, the loop goes on until the work is done or the governor ends
 * it.
 */
export function governed<Settings extends object>(settings: Settings, options: GovernOptions = {}): Settings {
  const { tools, prepareStep, stopWhen = [] } = settings as LoopSettings;
  const loop = governLoop(options);
  const governedSettings: LoopSettings = {
    ...settings,
    prepareStep: async (step) => loop.prepare(step, await prepareStep?.(step)),
    stopWhen: [...(typeof stopWhen === 'function' ? [stopWhen] : stopWhen), loop.isOver],
    ...(tools !== undefined && { tools: mapped(tools, loop.guard) }),
  };
  // Each setting has been put in the place of one of the same type.
  return governedSettings as Settings;
}

type Loop = {
  readonly prepare: (step: StepOptions, theirs: Override | undefined) => Override | undefined;
  readonly isOver: Stop;
  readonly guard: (tool: ToolSet[string], name: string) => ToolSet[string];
};

function governLoop(options: GovernOptions): Loop {
  const usage = new WeakMap<object, Step['usage']>();
  const judge: Follower<ModelMessage> = createFollower(options, (message) => {
    const counted = usage.get(message);
    return (counted === undefined ? message : { ...message, usage: counted }) as Json;
  });
  const advice = new WeakSet<ModelMessage>();
  const beforeLast = new WeakSet<Step>();
  const withoutAdvice = (messages: readonly ModelMessage[]): readonly ModelMessage[] =>
    messages.some((message) => advice.has(message))
      ? messages.filter((message) => !advice.has(message))
      : messages;
  return {
    prepare(step, theirs) {
      const latest = step.steps.at(-1);
      const reply = latest?.response.messages.find(({ role }) => role === 'assistant');
      if (latest !== undefined && reply !== undefined) usage.set(reply, latest.usage);
      const judgement = judge([...step.initialMessages, ...step.responseMessages]);
      if (judgement.finish !== null && latest !== undefined) beforeLast.add(latest);
      // Messages that are changed for one step stay changed, so what was added for the last one is taken out again.
      const sent = theirs?.messages ?? step.messages;
      const clean = withoutAdvice(sent);
      if (judgement.advice === null) return clean === sent ? theirs : { ...theirs, messages: [...clean] };
      const note: ModelMessage = { role: 'user', content: judgement.advice };
      advice.add(note);
      return { ...theirs, messages: [...clean, note], ...(judgement.dropTools && withoutTools) };
    },
    isOver: ({ steps }) => {
      const previous = steps.at(-2);
      return previous !== undefined && beforeLast.has(previous);
    },
    guard: (tool, name) => guarded(tool, name, (messages) => judge(withoutAdvice(messages))),
  };
}

// The choice 'none' would make an error of a call that the model asks for all the same.
const withoutTools = { activeTools: [] as never[], toolChoice: 'auto' as const };

type Execute = (input: never, context: { readonly messages: readonly ModelMessage[] }) => unknown;

/** The tool as it is, except that it answers a refused call with an error that says why. */
function guarded(
  tool: ToolSet[string],
  name: string,
  judge: (messages: readonly ModelMessage[]) => Judgement,
): ToolSet[string] {
  const execute = tool.execute as Execute | undefined;
  if (execute === undefined) return tool;
  const run: Execute = (input, context) => {
    const because = refusalOf(judge(context.messages), { tool: name, args: input });
    if (because !== null) throw new Error(because);
    return execute.call(tool, input, context);
  };
  return { ...tool, execute: run } as ToolSet[string];
}

function mapped<Value>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
