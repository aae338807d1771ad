import type { ConversationMessage, ToolCall, ToolOutcome } from '@pawl/core';
import { type ConversationHistory, iterateItems } from '@pawl/core/conversation';
import type { ReadOutput } from '../tools/read.ts';
import { readOutputSchema } from '../tools/read.ts';
import type { SearchOutput } from '../tools/search.ts';
import { searchOutputSchema } from '../tools/search.ts';

type FailedToolCall = { readonly tool: string; readonly message: string };

/** The latest goal and the work done on it; this is the librarian's entire state. */
export type SearchTrail = {
  readonly goal: string;
  /** Queries in order, including failed ones. */
  readonly queries: readonly string[];
  readonly searches: readonly SearchOutput[];
  readonly reads: readonly ReadOutput[];
  /** Requested paths, including those that could not be read. */
  readonly readPaths: readonly string[];
  readonly failures: readonly FailedToolCall[];
};

export function buildSearchTrail(conversation: ConversationHistory<ConversationMessage>): SearchTrail {
  let trail = createEmptyTrail('');
  // Call ids are unique only within one reply.
  let calls: readonly ToolCall[] = [];
  for (const message of iterateItems(conversation)) {
    switch (message.role) {
      case 'user':
        trail = createEmptyTrail(message.text);
        break;
      case 'assistant':
        calls = message.calls;
        break;
      case 'tool': {
        const call = calls.find(({ id }) => id === message.callId);
        if (call !== undefined) trail = applyToolOutcome(trail, call, message.outcome);
        break;
      }
      default:
        message satisfies never;
    }
  }
  return trail;
}

function createEmptyTrail(goal: string): SearchTrail {
  return { goal, queries: [], searches: [], reads: [], readPaths: [], failures: [] };
}

function applyToolOutcome(trail: SearchTrail, call: ToolCall, outcome: ToolOutcome): SearchTrail {
  // A skipped call never started, so it does not count.
  if (!outcome.ok && outcome.error.kind === 'skipped') return trail;
  const updated = {
    ...trail,
    queries: call.tool === 'search' ? [...trail.queries, getStringArgument(call, 'query')] : trail.queries,
    readPaths: call.tool === 'read' ? [...trail.readPaths, getStringArgument(call, 'path')] : trail.readPaths,
  };
  if (!outcome.ok) {
    const failure = { tool: call.tool, message: outcome.error.message };
    return { ...updated, failures: [...trail.failures, failure] };
  }
  // Another tool may have the same name; ignore output of a different shape.
  const search = call.tool === 'search' ? searchOutputSchema.safeParse(outcome.output) : null;
  if (search?.success === true) return { ...updated, searches: [...trail.searches, search.data] };
  const read = call.tool === 'read' ? readOutputSchema.safeParse(outcome.output) : null;
  if (read?.success === true) return { ...updated, reads: [...trail.reads, read.data] };
  return updated;
}

function getStringArgument(call: ToolCall, name: string): string {
  const { args } = call;
  const value =
    typeof args === 'object' && args !== null && !Array.isArray(args) ? Reflect.get(args, name) : '';
  return typeof value === 'string' ? value : '';
}
