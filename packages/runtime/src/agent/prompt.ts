import type { AskModelAction } from '@pawl/core/turn';
import type { Session } from '@pawl/core';
import { dumpMemory } from '@pawl/core/memory';
import { renderModeSection, listNextStates, listOfferedTools, type ModeChart } from '@pawl/core/modes';
import type { ModelRequest } from '../models/model.ts';
import type { ToolDescription } from '../tools/tool.ts';

/** Builds the model request: system prompt, conversation, offered tools and the current mode. */
export function buildModelRequest(
  { conversation, advice, tools }: AskModelAction,
  session: Session,
  options: { readonly prompt: string; readonly tools: readonly ToolDescription[]; readonly at: number },
): ModelRequest {
  const { chart } = session.settings;
  const { mode } = session;
  const offered = tools ? filterOfferedTools(session, options.tools) : [];
  const system = buildSystemPrompt(session, options.prompt);
  if (chart === null || mode === null) {
    return { system, conversation, tools: offered, advice, state: null, mode: null };
  }
  const state = renderModeSection(chart, mode, { at: options.at, advice, stuck: advice !== null });
  const next = tools ? listNextStates(chart, mode) : [];
  return { system, conversation, tools: offered, advice, state, mode: { state: mode.state, next } };
}

/** Returns the tools that the current mode allows. */
function filterOfferedTools(
  { settings: { chart }, mode }: Session,
  tools: readonly ToolDescription[],
): readonly ToolDescription[] {
  if (chart === null || mode === null) return tools;
  const names = listOfferedTools(
    chart,
    mode,
    tools.map(({ name }) => name),
  );
  return tools.filter(({ name }) => names.includes(name));
}

function buildSystemPrompt({ settings: { chart }, mode, memory }: Session, prompt: string): string {
  const memoryText = memory === null ? '' : dumpMemory(memory);
  return [
    prompt,
    chart?.prompt ?? '',
    chart === null || mode === null ? '' : getModePrompt(chart, mode.state),
    memoryText === '' ? '' : `## Working Memory\n${memoryText}`,
  ]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

function getModePrompt({ states }: ModeChart, name: string): string {
  return states.find((state) => state.name === name)?.prompt ?? '';
}
