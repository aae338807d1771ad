import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { replay, step, type Json } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import type { ImportedRun, ImportResult } from '../../src/api/index.ts';
import { readUpload } from '../../src/imports/read-upload.ts';
import { shortRunEvents, startTestServer, type TestServer } from './test-server.ts';

async function uploadRuns(
  server: TestServer,
  body: string | Uint8Array,
  name = 'run.json',
): Promise<ImportResult> {
  const answer = await server.post(
    `/api/v1/imports?name=${encodeURIComponent(name)}`,
    typeof body === 'string' ? body : new Blob([new Uint8Array(body)]),
    { 'content-type': 'application/octet-stream' },
  );
  expect(answer.status).toBe(200);
  return (await answer.json()) as ImportResult;
}

function createLookupStep(i: number): object {
  return {
    i,
    role: 'assistant',
    text: 'I look again.',
    tool: 'grep',
    args: { pattern: 'needle' },
    result: 'no match',
    tokens: 12,
    inputTokens: 100,
    at: 10_000 + i * 500,
  };
}

/** Repeats one search, asks the user, and continues. */
function createStuckRun(lookups: number): object {
  return {
    id: 'stuck',
    source: 'normalized',
    model: 'some-model',
    task: 'Find the needle',
    steps: [
      { i: 0, role: 'user', text: 'Find the needle', at: 10_000 },
      ...Array.from({ length: lookups }, (_, index) => createLookupStep(index + 1)),
      { i: lookups + 1, role: 'assistant', text: 'It is not there.', at: 90_000 },
      { i: lookups + 2, role: 'assistant', text: 'One more thought.', at: 91_000 },
    ],
  };
}

/** The minimum CPU time of three runs, so that other work in the process counts at most once. */
async function cpuMsFor(lookups: number): Promise<number> {
  const tries = [await tryOnce(lookups), await tryOnce(lookups), await tryOnce(lookups)];
  return Math.min(...tries);
}

async function tryOnce(lookups: number): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(createStuckRun(lookups)));
  const cpuMs = startCpuTimer();
  for await (const item of readUpload(bytes, { name: 'long', now: 0 })) expect('run' in item).toBe(true);
  return cpuMs();
}

/** The session accepts every event. */
function checkReplay({ created, events }: ImportedRun): void {
  let session = created;
  for (const { seq, event } of events) {
    session = step(session, event).session;
    expect(session.seq).toBe(seq);
  }
}

describe('a recorded run', () => {
  it('becomes a replayable session with all of its steps and their verdicts', async () => {
    await using server = await startTestServer();
    const { runs, problems } = await uploadRuns(server, JSON.stringify(createStuckRun(12)));
    expect(problems).toEqual([]);
    const [run] = runs;
    if (run === undefined) throw new Error('there is no run');
    expect(run).toMatchObject({
      name: 'stuck',
      format: 'normalized',
      model: 'some-model',
      success: null,
      cut: null,
    });
    checkReplay(run);
    const types = run.events.map(({ event }) => event.type);
    expect(types.filter((type) => type === 'tool-finished')).toHaveLength(12);
    expect(run.events[0]?.event).toEqual({ type: 'user-message', at: 10_000, text: 'Find the needle' });
    expect(run.audit.severity).toBe('stop');
    // Each verdict follows the event it is about, and its evidence events are calls.
    for (const { seq, evidence } of run.audit.verdicts) {
      expect(run.events[(seq ?? 0) - 1]?.event.type).toBe('tool-finished');
      expect(evidence.length).toBeGreaterThan(0);
      for (const proof of evidence) expect(run.events[proof - 1]?.event.type).toBe('tool-finished');
    }
    const severe = run.audit.verdicts.filter(({ severity }) => severity !== 'advise').map(({ rule }) => rule);
    const reached = run.events.flatMap(({ event }) =>
      event.type === 'verdict-reached' ? [event.verdict.rule] : [],
    );
    expect(reached).toEqual(severe);
    // Nothing was blocked or ended early, so the run's last message is also the last one here.
    expect(run.events.at(-1)?.event).toMatchObject({ type: 'model-replied', text: 'One more thought.' });
    const { sessions } = (await (await server.get('/api/v1/sessions')).json()) as { sessions: unknown[] };
    expect(sessions).toEqual([]);
  });

  it('is read in the format of a provider, compressed, and with several runs in one file', async () => {
    await using server = await startTestServer();
    const chat = [
      { role: 'user', content: 'Where is it?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{"name":"it"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'in the attic' },
      { role: 'assistant', content: 'In the attic.' },
    ];
    const lines = [chat, chat].map((messages) => JSON.stringify({ messages })).join('\n');
    const { runs } = await uploadRuns(server, gzipSync(lines), 'mine.jsonl.gz');
    expect(runs.map(({ name }) => name)).toEqual(['mine.jsonl.gz#1', 'mine.jsonl.gz#2']);
    for (const run of runs) {
      checkReplay(run);
      expect(run.cut).toBe('The recording has no timestamps; steps are shown one second apart.');
      expect(run.events.map(({ event }) => event.type)).toEqual([
        'user-message',
        'model-replied',
        'tool-started',
        'tool-finished',
        'model-replied',
      ]);
    }
  });

  it('is reported if it is not a recorded run', async () => {
    await using server = await startTestServer();
    expect((await uploadRuns(server, 'hello')).problems[0]?.message).toContain('neither JSON nor JSON Lines');
    expect((await uploadRuns(server, '{"a":1}')).problems[0]?.message).toContain('no known format');
    expect(await uploadRuns(server, '')).toEqual({
      runs: [],
      problems: [{ line: null, message: 'it is empty' }],
    });
    expect((await uploadRuns(server, gzipSync('{"a"').subarray(0, 10))).runs).toEqual([]);
    expect((await uploadRuns(server, '['.repeat(200_000))).runs).toEqual([]);
  });

  it('is rejected if the file is too large', async () => {
    await using server = await startTestServer();
    const answer = await server.post('/api/v1/imports', new Blob(['x'.repeat(64_000_001)]));
    expect(answer.status).toBe(413);
  });

  it('is imported in linear time', async () => {
    const [short, long] = [await cpuMsFor(1_000), await cpuMsFor(8_000)];
    expect(long).toBeLessThan(short * 8 * 4 + 500);
  });

  it('becomes replayable whatever it contains', async () => {
    const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
    const text = fc.oneof(
      fc.string(),
      fc.constant('again '.repeat(300)),
      fc.constant('\ud800'),
      fc.constant(''),
    );
    const recorded = fc.record(
      {
        role: fc.constantFrom('assistant', 'assistant', 'user'),
        text,
        tool: fc.constantFrom('grep', '__proto__', ''),
        args: value,
        result: value,
        error: fc.boolean(),
        tokens: fc.nat(),
        at: fc.integer({ min: -5, max: 5_000 }),
      },
      { requiredKeys: ['role'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(recorded, { minLength: 1, maxLength: 40 }), async (steps) => {
        const run = { id: 'any', steps: steps.map((each, i) => ({ i, ...each })) };
        for await (const item of readUpload(Buffer.from(JSON.stringify(run)), { name: 'any', now: 0 })) {
          if ('run' in item) {
            checkReplay(item.run);
            expect(() => JSON.stringify(item.run)).not.toThrow();
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});

function hashChainLink(before: string, value: unknown): string {
  return createHash('sha256')
    .update(`${before}\n${JSON.stringify(value)}`)
    .digest('hex');
}

async function createExport(server: TestServer, asLines: boolean): Promise<string> {
  await server.keep('attic', shortRunEvents);
  const { session: created } = await server.store.open('attic', { at: 0 });
  let hash = hashChainLink('', created);
  const events = shortRunEvents.map((event, index) => {
    hash = hashChainLink(hash, event);
    return { seq: index + 1, event, hash };
  });
  const head = {
    format: 'pawl-session',
    version: 1,
    id: 'attic',
    about: { model: 'm' },
    parent: null,
    created,
  };
  const tail = { head: 5, stateHash: 'x' };
  return asLines
    ? [head, ...events, tail].map((each) => JSON.stringify(each)).join('\n')
    : JSON.stringify({ ...head, events, ...tail });
}

describe('an exported session', () => {
  it.each([false, true])('is imported unchanged (one line per event: %s)', async (asLines) => {
    await using server = await startTestServer();
    const { runs, problems } = await uploadRuns(server, await createExport(server, asLines), 'attic.json');
    expect(problems).toEqual([]);
    const [run] = runs;
    if (run === undefined) throw new Error('there is no run');
    expect(run).toMatchObject({
      name: 'attic.json',
      format: 'pawl-session',
      model: 'm',
      audit: { severity: 'none' },
    });
    const after = replay(
      run.created,
      run.events.map(({ event }) => event),
    );
    expect(after).toEqual((await server.store.open('attic')).session);
  });

  it('is rejected if it was modified', async () => {
    await using server = await startTestServer();
    const text = await createExport(server, false);
    const changed = await uploadRuns(server, text.replace('three boxes', 'four boxes'));
    expect(changed.runs).toEqual([]);
    expect(changed.problems[0]?.message).toContain('Event 4 or an earlier one was modified');
    const other = await uploadRuns(
      server,
      text.replace('"version":1,"id":"attic","about"', '"version":9,"id":"attic","about"'),
    );
    expect(other.problems[0]?.message).toContain('another version');
    const half = await uploadRuns(server, text.slice(0, 500));
    expect(half.runs).toEqual([]);
  });
});
