import type { Json } from '@pawl/core';
import type { RecordedStep } from '@pawl/governor/traces';
import { applyRound, createConversationState, type ConversationState } from './conversation-state.ts';
import { findRefusalReason, formatFallbackAnswer, toGovernorDecision } from './governor-decision.ts';
import type { GovernOptions } from './options.ts';
import type { ConversationRound } from './rounds.ts';

export type { GovernOptions } from './options.ts';

/** The fields of the SDK's hook inputs that the governor reads. */
export type ClaudeHookInput = {
  readonly session_id: string;
  /** Set in a sub-agent. */
  readonly agent_id?: string | undefined;
  readonly prompt?: unknown;
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly tool_use_id?: unknown;
  readonly tool_calls?: unknown;
  readonly last_assistant_message?: unknown;
};

/** The SDK's hook outputs that the governor returns. */
export type ClaudeHookOutput = {
  continue?: false;
  stopReason?: string;
  decision?: 'block';
  reason?: string;
  hookSpecificOutput?:
    | { hookEventName: 'PreToolUse'; permissionDecision: 'deny'; permissionDecisionReason: string }
    | { hookEventName: 'PostToolBatch'; additionalContext: string };
};

export type ClaudeHookMatcher = { hooks: ((input: ClaudeHookInput) => Promise<ClaudeHookOutput>)[] };

/** Hooks for `query({ options: { hooks } })`. */
export type ClaudeGovernorHooks = Record<
  'UserPromptSubmit' | 'PreToolUse' | 'PostToolUseFailure' | 'PostToolBatch' | 'Stop' | 'SubagentStop',
  ClaudeHookMatcher[]
>;

/** Maximum number of sessions and sub-agents tracked. */
const conversationsMax = 64;

type TrackedConversation = { state: ConversationState; readonly failedCalls: Set<unknown> };

/**
 * Governs agents of the Claude Agent SDK: `query({ prompt, options: { hooks: createGovernorHooks() } })`. Sub-agents
 * are judged separately. Hooks cannot drop tools from a request, so the last reply is requested by advice, and tool
 * calls in it are denied.
 */
export function createGovernorHooks(options: GovernOptions = {}): ClaudeGovernorHooks {
  const conversations = new Map<string, TrackedConversation>();

  const getConversation = ({ session_id, agent_id = '' }: ClaudeHookInput): TrackedConversation => {
    const key = `${session_id}/${agent_id}`;
    const tracked = conversations.get(key) ?? {
      state: createConversationState(options),
      failedCalls: new Set(),
    };
    conversations.delete(key);
    conversations.set(key, tracked);
    for (const oldest of conversations.keys())
      if (conversations.size > conversationsMax) conversations.delete(oldest);
    return tracked;
  };
  const addRound = (tracked: TrackedConversation, round: ConversationRound): void => {
    tracked.state = applyRound(tracked.state, round, options, options.now?.() ?? null);
    if (tracked.state.verdict !== null) options.onVerdict?.(tracked.state.verdict);
  };
  const addAnswer = toHookMatchers((input) => {
    const text = typeof input.last_assistant_message === 'string' ? input.last_assistant_message : '';
    const steps = [{ i: 0, role: 'assistant', text } as const];
    addRound(getConversation(input), { type: 'reply', size: 1, steps, isOpen: false, feedback: null });
    return {};
  });

  return {
    Stop: addAnswer,
    SubagentStop: addAnswer,
    UserPromptSubmit: toHookMatchers((input) => {
      const tracked = getConversation(input);
      addRound(tracked, { type: 'person', size: 1, text: String(input.prompt) });
      const { isOver, finish } = toGovernorDecision(tracked.state);
      return isOver ? { decision: 'block', reason: `The session is over: ${finish}.` } : {};
    }),
    PreToolUse: toHookMatchers((input) => {
      const decision = toGovernorDecision(getConversation(input).state);
      // Stopping here would also stop the parent of a sub-agent.
      if (decision.isOver) return { continue: false, stopReason: formatFallbackAnswer(decision.finish) };
      const reason = decision.dropTools
        ? decision.advice
        : findRefusalReason(decision, { tool: String(input.tool_name), args: input.tool_input });
      return reason === null ? {} : denyToolCall(reason);
    }),
    PostToolUseFailure: toHookMatchers((input) => {
      getConversation(input).failedCalls.add(input.tool_use_id);
      return {};
    }),
    PostToolBatch: toHookMatchers((input) => {
      const tracked = getConversation(input);
      const calls = Array.isArray(input.tool_calls) ? (input.tool_calls as ClaudeToolCall[]) : [];
      const steps = calls.map((call, i) => ({ i, ...toRecordedStep(call, tracked.failedCalls) }));
      tracked.failedCalls.clear();
      if (steps.length > 0)
        addRound(tracked, { type: 'reply', size: 1, steps, isOpen: false, feedback: null });
      const { advice } = toGovernorDecision(tracked.state);
      return advice === null
        ? {}
        : { hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: advice } };
    }),
  };
}

function toHookMatchers(hook: (input: ClaudeHookInput) => ClaudeHookOutput): ClaudeHookMatcher[] {
  return [{ hooks: [async (input) => hook(input)] }];
}

function denyToolCall(reason: string): ClaudeHookOutput {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  };
}

type ClaudeToolCall = {
  readonly tool_name: string;
  readonly tool_input: Json;
  readonly tool_use_id: string;
  readonly tool_response?: Json;
};

/** The response is what the model reads, including the reason of a denied call. */
function toRecordedStep(
  { tool_name, tool_input, tool_use_id, tool_response = '' }: ClaudeToolCall,
  failedCalls: ReadonlySet<unknown>,
): Omit<RecordedStep, 'i'> {
  return {
    role: 'assistant',
    tool: tool_name,
    args: tool_input,
    result: tool_response,
    ...(failedCalls.has(tool_use_id) && { error: true }),
  };
}
