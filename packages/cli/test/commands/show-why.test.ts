import { createSession, step, type Event } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  saveRun,
  createLookReply,
  createTestWorkspace,
  successfulRun,
  createPutReply,
  createTextReply,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

describe('pawl show --why', () => {
  it('shows the cause of a step, its events, and the distance to each rule', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const { code, out } = await testWorkspace.pawl('show', 'roof', '--why', '1');
    expect(code).toBe(0);
    expect(out).toMatch(/^Step 1, requested after event 1\n {2}cause: Mend the roof\n/);
    expect(out).toContain('Nothing was added to the prompt besides the conversation.');
    expect(out).toContain('      4  tool      look {"at":"roof"} → nothing new at roof');
    expect(out).not.toContain('Verdicts');
    expect(out).toMatch(/repeated-call +1 {2}advise at 3\n/);
    expect(out).toMatch(/After event 4: calling the model \(via .*executingTools.*callingModel\)\.\n$/);
  });

  it('shows the rule, its evidence and response, and the advice for the next step', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    const [third] = await testWorkspace.json('show', 'key', '--why', '3');
    expect(third).toMatchObject({
      type: 'why',
      number: 3,
      seq: 7,
      injected: { advice: null, adviceRule: null, modeSection: null, lastAnswer: null },
      verdicts: [
        {
          seq: 10,
          rule: 'repeated-call',
          severity: 'advise',
          evidence: [4, 7, 10],
          response: { kind: 'advise' },
        },
      ],
      proof: [
        { seq: 4, what: 'look {"at":"drawer"}' },
        { seq: 7, came: 'nothing new at drawer' },
        { seq: 10 },
      ],
      led: { seq: 10, to: 'callingModel' },
      preset: 'pawl',
    });
    const [fourth] = await testWorkspace.json('show', 'key', '--why', '4');
    expect(fourth).toMatchObject({
      number: 4,
      injected: {
        advice: expect.stringMatching(/\S/) as string,
        adviceRule: 'repeated-call',
      },
    });
    const { out } = await testWorkspace.pawl('show', 'key', '--why', '3');
    expect(out).toContain('event 10: advise by rule repeated-call: ');
    expect(out).toContain('response: advise');
    expect((await testWorkspace.pawl('show', 'key', '--why', '4')).out).toContain(
      'advice (from rule repeated-call): ',
    );
  });

  it('assigns a user message to the step it starts, not to the one before', async () => {
    const created = createSession({ id: 'talk', at: 0 });
    const position = await testWorkspace.store.create(created, 'a test', {
      metadata: { dir: testWorkspace.dir },
    });
    const events: readonly Event[] = [
      { type: 'user-message', at: 1, text: 'First' },
      { type: 'model-replied', at: 2, text: 'One.', calls: [] },
      { type: 'user-message', at: 3, text: 'Second' },
      { type: 'model-replied', at: 4, text: 'Two.', calls: [] },
    ];
    let end = created;
    for (const event of events) end = step(end, event).session;
    await testWorkspace.store.append('talk', position, events, end);
    const records = [];
    for (const seq of [1, 2, 3, 4])
      records.push(...(await testWorkspace.json('show', 'talk', '--why', `event:${seq}`)));
    expect(records.map(({ number, because }) => [number, because])).toEqual([
      [1, 'First'],
      [1, 'First'],
      [2, 'Second'],
      [2, 'Second'],
    ]);
    expect(records[0]).toMatchObject({ led: { seq: 2, to: 'waitingForUser' } });
  });

  it('shows when and why tools were withheld for the final answer', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    const [last] = await testWorkspace.json('show', 'key', '--why', '5');
    expect(last).toMatchObject({
      injected: { lastAnswer: expect.stringContaining('look was called') as string },
    });
    const { out } = await testWorkspace.pawl('show', 'key', '--why', '5');
    expect(out).toContain('no tools, final answer requested: look was called 4 times');
  });

  it('shows which calls were refused by which rule', async () => {
    const rules = { 'repeated-call': { advise: null, block: 2, stop: null } };
    await saveRun(testWorkspace, {
      id: 'refused',
      goal: 'Look',
      replies: [
        createLookReply('drawer'),
        createLookReply('drawer'),
        createLookReply('drawer'),
        createTextReply('Then not.'),
      ],
      settings: { governor: { preset: 'pawl', rules } },
    });
    const [third] = await testWorkspace.json('show', 'refused', '--why', '3');
    expect(third?.['denied']).toEqual([
      {
        seq: 8,
        tool: 'look',
        kind: 'denied',
        reason: expect.stringMatching(/^Not run again/) as string,
        rule: 'repeated-call',
      },
    ]);
    const { out } = await testWorkspace.pawl('show', 'refused', '--why', '3');
    expect(out).toContain('look (denied, blocked by rule repeated-call): Not run again');
  });

  it('names no governor rule for a call that the user forbids', async () => {
    const rules = { 'repeated-call': { advise: null, block: 2, stop: null } };
    await saveRun(testWorkspace, {
      id: 'forbidden',
      goal: 'Look',
      replies: [
        createLookReply('drawer'),
        createLookReply('drawer'),
        createPutReply('roof.txt', 'x'),
        createTextReply('Then not.'),
      ],
      settings: { governor: { preset: 'pawl', rules } },
      agent: {
        rules: ({ tool }) => (tool === 'put' ? { permission: 'deny', reason: 'no writing' } : 'allow'),
      },
    });
    const [third] = await testWorkspace.json('show', 'forbidden', '--why', '3');
    expect(third?.['denied']).toMatchObject([{ tool: 'put', reason: 'no writing', rule: null }]);
  });

  it('shows which calls the user denied', async () => {
    await saveRun(testWorkspace, {
      id: 'asked',
      goal: 'Look',
      replies: [createLookReply('drawer'), createTextReply('Then not.')],
      agent: { rules: () => 'ask', decide: () => Promise.resolve({ decision: 'deny', reason: 'private' }) },
    });
    const [first] = await testWorkspace.json('show', 'asked', '--why', '1');
    expect(first?.['denied']).toMatchObject([
      { tool: 'look', kind: 'denied', reason: expect.stringContaining('private') as string, rule: null },
    ]);
  });

  it('resolves an event to its step', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const numbers: unknown[] = [];
    for (let seq = 1; seq <= 8; seq += 1) {
      const [record] = await testWorkspace.json('show', 'roof', '--why', `event:${seq}`);
      numbers.push(record?.['number']);
    }
    expect(numbers).toEqual([1, 1, 1, 1, 2, 2, 2, 3]);
  });

  it('shows the mode and its possible transitions', async () => {
    const settings = findProfile('savant')?.settings;
    if (settings === undefined) throw new Error('there is a profile savant');
    const created = createSession({ id: 'modes', at: 0, profile: 'savant', settings });
    const position = await testWorkspace.store.create(created, 'a test', {
      metadata: { dir: testWorkspace.dir },
    });
    const event: Event = { type: 'user-message', at: 1, text: 'Go' };
    await testWorkspace.store.append('modes', position, [event], step(created, event).session);
    const [record] = await testWorkspace.json('show', 'modes', '--why', '1');
    expect(record).toMatchObject({
      preset: 'savant',
      rules: [],
      mode: { state: 'INIT', next: expect.arrayContaining(['SEARCHING']) as string[] },
      injected: { modeSection: expect.stringContaining('Current Phase: INIT') as string },
    });
    const { out } = await testWorkspace.pawl('show', 'modes', '--why', '1');
    expect(out).toContain('mode INIT; next modes: ');
    expect(out).toContain('none: the preset savant has no listed rules');
  });

  it('rejects a step that does not exist', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    for (const [given, complaint] of [
      ['4', /The session has 3 steps; there is no step 4/],
      ['0', /whole number of at least 1/],
      ['event:9', /has 8 events; there is no event 9/],
      ['event:x', /whole number/],
    ] as const) {
      const { code, err } = await testWorkspace.pawl('show', 'roof', '--why', given);
      expect(code).toBe(2);
      expect(err).toMatch(complaint);
    }
    const both = await testWorkspace.pawl('show', 'roof', '--why', '1', '--at', '2');
    expect(both.err).toMatch(/one of --at, --prompt, --why and --events/);
    const created = createSession({ id: 'paused', at: 0 });
    const position = await testWorkspace.store.create(created, 'a test', {
      metadata: { dir: testWorkspace.dir },
    });
    const pause: Event = { type: 'pause-requested', at: 1, reason: 'x' };
    await testWorkspace.store.append('paused', position, [pause], step(created, pause).session);
    expect((await testWorkspace.pawl('show', 'paused', '--why', 'event:1')).err).toMatch(
      /belongs to no step/,
    );
  });

  it('escapes untrusted text', async () => {
    await saveRun(testWorkspace, {
      id: 'rude',
      goal: 'Look \u001b[2J here',
      replies: [createLookReply('\u001b]0;title\u0007'), createTextReply('\u001b[31mDone')],
    });
    for (const number of ['1', '2']) {
      const { out } = await testWorkspace.pawl('show', 'rude', '--why', number);
      expect(out).not.toContain('\u001b');
    }
  });
});
