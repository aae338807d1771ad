import {
  dumpMemory,
  modeSection,
  nextStates,
  offeredTools,
  type Action,
  type ModeChart,
  type Session,
} from '@pawl/core';
import type { ModelRequest } from './models/model.ts';
import type { ToolDescription } from './tools/tool.ts';

type AskModel = Extract<Action, { readonly type: 'ask-model' }>;

/** What the model is sent: the system prompt, the conversation, the tools it may call, and where it stands. */
export function requestFor(
  { conversation, advice, tools }: AskModel,
  session: Session,
  world: { readonly prompt: string; readonly tools: readonly ToolDescription[]; readonly at: number },
): ModelRequest {
  const { chart } = session.settings;
  const { mode } = session;
  const offered = tools ? offeredOf(session, world.tools) : [];
  const system = systemPrompt(session, world.prompt);
  if (chart === null || mode === null) {
    return { system, conversation, tools: offered, advice, state: null, mode: null };
  }
  const state = modeSection(chart, mode, { at: world.at, advice, stuck: advice !== null });
  const next = tools ? nextStates(chart, mode) : [];
  return { system, conversation, tools: offered, advice, state, mode: { state: mode.state, next } };
}

/** The mode narrows down what there is; a model that is offered nothing else asks for nothing else. */
function offeredOf(
  { settings: { chart }, mode }: Session,
  tools: readonly ToolDescription[],
): readonly ToolDescription[] {
  if (chart === null || mode === null) return tools;
  const names = offeredTools(
    chart,
    mode,
    tools.map(({ name }) => name),
  );
  return tools.filter(({ name }) => names.includes(name));
}

function systemPrompt({ settings: { chart }, mode, memory }: Session, prompt: string): string {
  const held = memory === null ? '' : dumpMemory(memory);
  return [
    prompt,
    chart?.prompt ?? '',
    chart === null || mode === null ? '' : promptOf(chart, mode.state),
    held === '' ? '' : `## Working Memory\n${held}`,
  ]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

function promptOf({ states }: ModeChart, name: string): string {
  return states.find((state) => state.name === name)?.prompt ?? '';
}
