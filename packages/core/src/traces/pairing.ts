import type { Draft } from './draft.ts';
import type { Result } from './entry.ts';

/** Calls that wait for their results, oldest first. Those that have got theirs in another way are passed over. */
type Queue = { readonly drafts: Draft[]; next: number };

/** Brings calls and results together. */
export type Pairing = {
  call(draft: Draft, id: string | undefined): void;
  /** Says what is wrong, if anything is. */
  result(result: Result): string | null;
  /** The newest call with this id, answered or not. */
  find(id: string): Draft | undefined;
  /** Results whose call never came. */
  leftOver(): readonly Result[];
};

/**
 * A result belongs to the oldest call with its id that has none yet: some models use an id twice, and some logs write a
 * result before its call. A result without an id goes to the oldest call of its tool, or else to the oldest call.
 */
export function createPairing(): Pairing {
  const byId = new Map<string, Queue>();
  const byTool = new Map<string, Queue>();
  const everyCall: Queue = { drafts: [], next: 0 };
  const early = new Map<string, Result[]>();

  return {
    call(draft, id) {
      everyCall.drafts.push(draft);
      put(byTool, draft.tool ?? '', draft);
      if (id === undefined) return;
      put(byId, id, draft);
      const waiting = early.get(id)?.shift();
      if (waiting !== undefined) answer(draft, waiting);
    },
    result(result) {
      const { id, tool } = result;
      if (id === undefined) {
        const draft = oldest(byTool.get(tool ?? '')) ?? oldest(everyCall);
        return draft === undefined
          ? 'a result without an id, and no call waits for one'
          : answer(draft, result);
      }
      const queue = byId.get(id);
      const draft = oldest(queue);
      if (draft !== undefined) return answer(draft, result);
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

function put(queues: Map<string, Queue>, key: string, draft: Draft): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, { drafts: [draft], next: 0 });
  else queue.drafts.push(draft);
}

function oldest(queue: Queue | undefined): Draft | undefined {
  if (queue === undefined) return undefined;
  while (queue.drafts[queue.next]?.answered === true) queue.next += 1;
  return queue.drafts[queue.next];
}

function answer(draft: Draft, { result, error }: Result): null {
  draft.result = result;
  draft.error ??= error;
  draft.answered = true;
  return null;
}
