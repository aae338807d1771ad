import { createSession, step } from '@pawl/core';
import { defineTool } from '@pawl/runtime';
import { createMemoryStore, StoreError, type Store } from '@pawl/runtime/store';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { processSessionJob, type JobContext, type LeasedJob, type JobReport } from '../src/session-job.ts';
import { createScriptedFactory } from './harness.ts';

type JobScene = {
  readonly means: JobContext;
  readonly reports: JobReport[];
  /** How many takings up in a row did not end in order. */
  readonly attempts: () => number;
};

async function throwNoAnswer(): Promise<never> {
  throw new Error('no answer');
}

async function createJobScene(
  change: (store: Store) => Store,
  more: Partial<JobContext> = {},
): Promise<JobScene> {
  const store = createMemoryStore();
  const settings = { governor: { preset: 'none', rules: {} } } as const;
  const session = createSession({ id: 's', at: 1, settings });
  const position = await store.create(session, 'me');
  const message = { type: 'user-message', at: 2, text: 'Do it.' } as const;
  await store.append('s', position, [message], step(session, message).session);
  const reports: JobReport[] = [];
  let attempts = 0;
  return {
    reports,
    attempts: () => attempts,
    means: {
      store: change(store),
      commands: store.commands,
      agentFactory: createScriptedFactory([{ text: 'Done.' }]),
      owner: 'worker',
      draining: new AbortController().signal,
      graceMs: 50,
      pollMs: 20,
      leaseMs: 600_000,
      crashesMax: 3,
      now: () => 5,
      onReport: (report) => void reports.push(report),
      crashLedger: {
        startAttempt: async () => ({ head: 1, count: (attempts += 1) }),
        endAttempt: async () => void (attempts = 0),
        park: throwNoAnswer,
        parked: throwNoAnswer,
        unpark: throwNoAnswer,
        reason: async () => null,
      },
      ...more,
    },
  };
}

const createLeasedJob = (more: Partial<LeasedJob> = {}): LeasedJob => ({
  wake: { session: 's', version: 1 },
  extend: async () => true,
  release: async () => undefined,
  ...more,
});

describe('a job', () => {
  it('does not count as a crash of its session when Redis fails, however often', async () => {
    const { means, attempts, reports } = await createJobScene((store) => ({
      ...store,
      claim: async () => {
        throw new StoreError('unreadable', 'Redis', 'it is gone');
      },
    }));
    for (let time = 0; time < 5; time += 1)
      await expect(processSessionJob(createLeasedJob(), means)).rejects.toThrow(/it is gone/);
    expect(attempts()).toBe(0);
    expect(reports.filter(({ kind }) => kind === 'parked')).toEqual([]);
  });

  it('is lost to an owner that has claimed the session since, even if there is nothing to persist', async () => {
    const { means, reports } = await createJobScene((store) => store);
    const running = processSessionJob(createLeasedJob(), {
      ...means,
      agentFactory: async () => {
        await means.store.claim('s', 'other');
        // It means nothing to the session as it is.
        await means.commands.send('s', { kind: 'resume' });
        return {
          tools: [],
          model: {
            name: 'slow',
            // oxlint-disable-next-line require-yield -- it is asked, and never answers
            async *stream(_, signal) {
              if (!signal.aborted) await once(signal, 'abort');
            },
          },
        };
      },
    });
    await expect(running).rejects.toThrow(/lease of session "s" was lost/);
    expect(reports.map(({ kind }) => kind)).toEqual(['taken', 'lost']);
    expect(await means.commands.listPending('s')).toHaveLength(1);
  });

  it('does not start before its lease is confirmed', async () => {
    const { means, attempts } = await createJobScene((store) => store);
    await expect(processSessionJob(createLeasedJob({ extend: throwNoAnswer }), means)).rejects.toThrow(
      /lease of session "s" was lost/,
    );
    expect(attempts()).toBe(0);
  });

  it('leaves nothing behind that starts after its end', async () => {
    let starts = 0;
    const kept = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const appended = Promise.withResolvers<void>();
    const tool = defineTool({
      name: 'effect',
      description: 'Has an effect.',
      parameters: z.looseObject({}),
      effect: 'not-repeatable',
      run: async () => ({ ok: true, output: (starts += 1) }),
    });
    const stop = new AbortController();
    const agentFactory = createScriptedFactory([{ calls: [{ tool: 'effect', args: {} }] }], {
      tools: [tool],
    });
    const { means, reports } = await createJobScene(
      (store) => ({
        ...store,
        async append(id, at, events, after) {
          if (events.some(({ type }) => type === 'tool-started')) {
            asked.resolve();
            await kept.promise;
            setImmediate(appended.resolve);
          }
          return store.append(id, at, events, after);
        },
      }),
      { agentFactory, draining: stop.signal },
    );
    const over = processSessionJob(createLeasedJob(), means);
    await asked.promise;
    stop.abort();
    await over;
    expect(reports.at(-1)).toEqual({ kind: 'left', session: 's' });
    // The attempt is stored only now, when another process already owns the session.
    kept.resolve();
    await appended.promise;
    // What follows a kept start is run by promises alone: it is done when the event loop comes round.
    await nextTurn();
    expect(starts).toBe(0);
  });
});
