import type { Event } from '@pawl/core';

/** What a model says and what tools report while they are at it. It is shown, never stored. */
export type LiveShow = {
  /** Which question of the turn is being answered; null for work that does not say. */
  readonly request: number | null;
  readonly text: string;
  /** Calls as the model writes them out. */
  readonly calls: readonly { readonly callId: string; readonly tool: string; readonly args: string }[];
  /** The last word of each tool that runs, by the id of its call. */
  readonly progress: ReadonlyMap<string, string>;
};

export const nothingLive: LiveShow = { request: null, text: '', calls: [], progress: new Map() };

/** More than anybody reads while it streams; the whole of it comes with the reply. */
const textMax = 200_000;

export function showLive(before: LiveShow, event: Event): LiveShow {
  switch (event.type) {
    case 'text-delta': {
      const now = answering(before, event.request ?? null);
      return now.text.length > textMax ? now : { ...now, text: now.text + event.text };
    }
    case 'call-delta': {
      const now = answering(before, event.request ?? null);
      return { ...now, calls: withFragment(now.calls, event) };
    }
    case 'tool-progressed':
      return { ...before, progress: new Map(before.progress).set(event.callId, event.progress) };
    default:
      return before;
  }
}

/** What is on record is no longer streaming. */
export function afterKept(before: LiveShow, event: Event): LiveShow {
  switch (event.type) {
    case 'tool-finished': {
      if (!before.progress.has(event.callId)) return before;
      const progress = new Map(before.progress);
      progress.delete(event.callId);
      return { ...before, progress };
    }
    case 'tool-started':
    case 'permission-decided':
    case 'steered':
    case 'verdict-reached':
      return before;
    default:
      return before === nothingLive ? before : nothingLive;
  }
}

function answering(before: LiveShow, request: number | null): LiveShow {
  return before.request === request ? before : { ...nothingLive, request, progress: before.progress };
}

function withFragment(
  calls: LiveShow['calls'],
  { callId, tool, fragment }: Extract<Event, { readonly type: 'call-delta' }>,
): LiveShow['calls'] {
  const known = calls.some((call) => call.callId === callId);
  if (!known) return [...calls, { callId, tool, args: fragment }];
  return calls.map((call) =>
    call.callId === callId && call.args.length <= textMax ? { ...call, args: call.args + fragment } : call,
  );
}
