import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerHarness } from './harness.ts';

/** What people say to a session while it is at work: to every second one something. */
export function getSteeringTexts(id: string): readonly string[] {
  return Number(id.slice(1)) % 2 === 0 ? [`Also this, ${id}.`] : [];
}

export type ChaosPeople = {
  /** Has them say something to each of these that they have something to say to, some time soon. */
  steer(ids: readonly string[]): void;
  /** How much they have still to say. */
  left(): number;
  stop(): Promise<void>;
};

/** People who allow what they are asked about and say something in between, from a machine where no worker is. */
export function startChaosPeople({ store, queue }: WorkerHarness): ChaosPeople {
  const steers: { readonly id: string; readonly text: string }[] = [];
  const over = new AbortController();
  const answer = async (): Promise<void> => {
    for (const { id, status } of await store.list()) {
      if (status !== 'awaitingPermission') continue;
      const { turn } = (await store.open(id)).session;
      if (turn.status !== 'awaitingPermission') continue;
      const { request } = turn;
      for (const { decision, call } of turn.calls) {
        if (decision !== 'pending') continue;
        // Said as often as they look, and the same each time.
        const requestId = `${request} ${call.id}`;
        await queue.send(id, { kind: 'decide', callId: call.id, request, decision: 'allow' }, { requestId });
      }
    }
  };
  const attending = (async () => {
    while (!over.signal.aborted) {
      await answer();
      const [steer] = steers;
      if (steer !== undefined) {
        await queue.send(steer.id, { kind: 'say', text: steer.text }, { requestId: 'steer' });
        steers.shift();
      }
      await sleep(60);
    }
  })();
  return {
    steer: (ids) => steers.push(...ids.flatMap((id) => getSteeringTexts(id).map((text) => ({ id, text })))),
    left: () => steers.length,
    async stop() {
      over.abort();
      await attending;
    },
  };
}
