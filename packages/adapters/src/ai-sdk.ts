import type { ToolSet } from 'ai';
import { createLoopGovernor, type PrepareStepHook, type StopRule } from './ai-sdk-loop.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

/** The settings of `generateText`, `streamText` or `ToolLoopAgent` that the governor uses. */
type LoopSettings = {
  readonly tools?: ToolSet | undefined;
  readonly prepareStep?: PrepareStepHook | undefined;
  readonly stopWhen?: StopRule | readonly StopRule[] | undefined;
};

/**
 * Governs a loop of AI SDK 5, 6 or 7: takes its settings and returns governed ones. Existing `prepareStep` and `stopWhen` settings
 * stay in effect. Without a `stopWhen`, the loop runs until the work is done or the governor ends it.
 */
export function governLoopSettings<Settings extends object>(
  settings: Settings,
  options: GovernOptions = {},
): Settings {
  const { tools, prepareStep, stopWhen = [] } = settings as LoopSettings;
  const loop = createLoopGovernor(options);
  const governedSettings: LoopSettings = {
    ...settings,
    prepareStep: async (step) => loop.prepare(step, await prepareStep?.(step)),
    stopWhen: [...(typeof stopWhen === 'function' ? [stopWhen] : stopWhen), loop.isOver],
    ...(tools !== undefined && { tools: mapRecord(tools, loop.guard) }),
  };
  // Each setting is replaced by one of the same type.
  return governedSettings as Settings;
}

function mapRecord<Value>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
