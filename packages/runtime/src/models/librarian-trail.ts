import type { Call, Conversation, Message, Outcome } from '@pawl/core';
import { items } from '@pawl/core';
import type { ReadOutput } from '../tools/read.ts';
import { readOutput } from '../tools/read.ts';
import type { SearchOutput } from '../tools/search.ts';
import { searchOutput } from '../tools/search.ts';

type FailedCall = { readonly tool: string; readonly message: string };

/** What was asked last and what has been done about it: all the librarian remembers. */
export type Trail = {
  readonly goal: string;
  /** Queries in order, whether or not they could be carried out. */
  readonly queries: readonly string[];
  readonly searches: readonly SearchOutput[];
  readonly reads: readonly ReadOutput[];
  /** Paths asked for, whether or not they could be read. */
  readonly readPaths: readonly string[];
  readonly failures: readonly FailedCall[];
};

export function trailOf(conversation: Conversation<Message>): Trail {
  let trail = emptyTrail('');
  // Call ids are unique within one reply only.
  let calls: readonly Call[] = [];
  for (const message of items(conversation)) {
    switch (message.role) {
      case 'user':
        trail = emptyTrail(message.text);
        break;
      case 'assistant':
        calls = message.calls;
        break;
      case 'tool': {
        const call = calls.find(({ id }) => id === message.callId);
        if (call !== undefined) trail = follow(trail, call, message.outcome);
        break;
      }
      default:
        message satisfies never;
    }
  }
  return trail;
}

function emptyTrail(goal: string): Trail {
  return { goal, queries: [], searches: [], reads: [], readPaths: [], failures: [] };
}

function follow(trail: Trail, call: Call, outcome: Outcome): Trail {
  // What was never started is as if it had not been asked for.
  if (!outcome.ok && outcome.error.kind === 'skipped') return trail;
  const asked = {
    ...trail,
    queries: call.tool === 'search' ? [...trail.queries, argument(call, 'query')] : trail.queries,
    readPaths: call.tool === 'read' ? [...trail.readPaths, argument(call, 'path')] : trail.readPaths,
  };
  if (!outcome.ok) {
    const failure = { tool: call.tool, message: outcome.error.message };
    return { ...asked, failures: [...trail.failures, failure] };
  }
  // Another tool may go by the same name; what it puts out is not for us.
  const search = call.tool === 'search' ? searchOutput.safeParse(outcome.output) : null;
  if (search?.success === true) return { ...asked, searches: [...trail.searches, search.data] };
  const read = call.tool === 'read' ? readOutput.safeParse(outcome.output) : null;
  if (read?.success === true) return { ...asked, reads: [...trail.reads, read.data] };
  return asked;
}

function argument(call: Call, name: string): string {
  const { args } = call;
  const value =
    typeof args === 'object' && args !== null && !Array.isArray(args) ? Reflect.get(args, name) : '';
  return typeof value === 'string' ? value : '';
}
