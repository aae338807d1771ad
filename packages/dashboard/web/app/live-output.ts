import type { Event } from '@pawl/core';

/** Streamed model output and tool progress, which are displayed but never stored. */
export type LiveOutput = {
  /** The model request of the turn that is being answered; null for output without a request number. */
  readonly request: number | null;
  readonly text: string;
  /** Tool calls as the model streams them. */
  readonly calls: readonly { readonly callId: string; readonly tool: string; readonly args: string }[];
  /** Latest progress message of each running tool, by call id. */
  readonly progress: ReadonlyMap<string, string>;
};

export const emptyLiveOutput: LiveOutput = { request: null, text: '', calls: [], progress: new Map() };

/** Limits the streamed text; the complete text arrives with the reply. */
const liveTextMax = 200_000;

export function applyLiveEvent(before: LiveOutput, event: Event): LiveOutput {
  switch (event.type) {
    case 'text-delta': {
      const now = startLiveRequest(before, event.request ?? null);
      return now.text.length > liveTextMax ? now : { ...now, text: now.text + event.text };
    }
    case 'call-delta': {
      const now = startLiveRequest(before, event.request ?? null);
      return { ...now, calls: appendCallFragment(now.calls, event) };
    }
    case 'tool-progressed':
      return { ...before, progress: new Map(before.progress).set(event.callId, event.progress) };
    default:
      return before;
  }
}

/** Removes output that is now part of a stored event. */
export function clearStoredOutput(before: LiveOutput, event: Event): LiveOutput {
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
      return before === emptyLiveOutput ? before : emptyLiveOutput;
  }
}

function startLiveRequest(before: LiveOutput, request: number | null): LiveOutput {
  return before.request === request ? before : { ...emptyLiveOutput, request, progress: before.progress };
}

function appendCallFragment(
  calls: LiveOutput['calls'],
  { callId, tool, fragment }: Extract<Event, { readonly type: 'call-delta' }>,
): LiveOutput['calls'] {
  const isKnown = calls.some((call) => call.callId === callId);
  if (!isKnown) return [...calls, { callId, tool, args: fragment }];
  return calls.map((call) =>
    call.callId === callId && call.args.length <= liveTextMax
      ? { ...call, args: call.args + fragment }
      : call,
  );
}
