import type { RecordedStepDraft } from './recorded-step-draft.ts';
import type { TraceResult } from './trace-entry.ts';

/** Calls that wait for their results, oldest first; calls answered in another way are skipped. */
type DraftQueue = { readonly drafts: RecordedStepDraft[]; next: number };

/** Pairs calls with their results. */
export type ResultPairing = {
  call(draft: RecordedStepDraft, id: string | undefined): void;
  /** Returns a problem, or null. */
  result(result: TraceResult): string | null;
  /** Returns the newest call with this id, answered or not. */
  find(id: string): RecordedStepDraft | undefined;
  /** Returns results whose call was never found. */
  leftOver(): readonly TraceResult[];
};

/**
 * A result belongs to the oldest unanswered call with its id, because some models use an id twice and some logs write a
 * result before its call. A result without an id belongs to the oldest call of its tool, otherwise to the oldest call.
 */
export function createResultPairing(): ResultPairing {
  const byId = new Map<string, DraftQueue>();
  const byTool = new Map<string, DraftQueue>();
  const everyCall: DraftQueue = { drafts: [], next: 0 };
  const early = new Map<string, TraceResult[]>();

  return {
    call(draft, id) {
      everyCall.drafts.push(draft);
      enqueueDraft(byTool, draft.tool ?? '', draft);
      if (id === undefined) return;
      enqueueDraft(byId, id, draft);
      const waiting = early.get(id)?.shift();
      if (waiting !== undefined) answerDraft(draft, waiting);
    },
    result(result) {
      const { id, tool } = result;
      if (id === undefined) {
        const draft = findOldestUnanswered(byTool.get(tool ?? '')) ?? findOldestUnanswered(everyCall);
        return draft === undefined
          ? 'a result without an id, and no call waits for one'
          : answerDraft(draft, result);
      }
      const queue = byId.get(id);
      const draft = findOldestUnanswered(queue);
      if (draft !== undefined) return answerDraft(draft, result);
      if (queue !== undefined) return result.repeated === true ? null : `a second result for the call ${id}`;
      const waiting = early.get(id);
      if (waiting === undefined) early.set(id, [result]);
      else waiting.push(result);
      return null;
    },
    find: (id) => byId.get(id)?.drafts.at(-1),
    leftOver: () => [...early.values()].flat().filter(({ repeated }) => repeated !== true),
  };
}

function enqueueDraft(queues: Map<string, DraftQueue>, key: string, draft: RecordedStepDraft): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, { drafts: [draft], next: 0 });
  else queue.drafts.push(draft);
}

function findOldestUnanswered(queue: DraftQueue | undefined): RecordedStepDraft | undefined {
  if (queue === undefined) return undefined;
  while (queue.drafts[queue.next]?.answered === true) queue.next += 1;
  return queue.drafts[queue.next];
}

function answerDraft(draft: RecordedStepDraft, { result, error }: TraceResult): null {
  draft.result = result;
  draft.error ??= error;
  draft.answered = true;
  return null;
}
