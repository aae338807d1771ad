import { step, type Event } from '@pawl/core';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { commandLimits, markExecutedCommand, type SessionCommand } from '../../src/store/command-channel.ts';
import { forkStoredSession } from '../../src/store/fork.ts';
import type { LogPosition, Store } from '../../src/store/store.ts';
import { createSampleSession, appendSampleEvents } from '../store/sample-session.ts';

const createSayCommand = (text: string): SessionCommand => ({ kind: 'say', text });

/** What holds of the commands of every store. `make` gives a way to open one and the same store, as often as one likes. */
export function describeCommandContract(make: () => () => Store): void {
  describeCommandOrder(make);
  describeCommandRemoval(make);
  describeRequestIds(make);
  describeCommandRefusals(make);
}

async function listPendingTexts(store: Store, id = 'a'): Promise<readonly unknown[]> {
  return (await store.commands.listPending(id)).map(({ command }) => command?.kind === 'say' && command.text);
}

function describeCommandOrder(make: () => () => Store): void {
  it('keeps commands in the order in which they were sent, for every reader', async () => {
    const open = make();
    await open().create(createSampleSession('a'), 'me');
    await open().create(createSampleSession('b'), 'me');
    const ids = [];
    for (const text of ['one', 'two', 'three'])
      ids.push(await open().commands.send('a', createSayCommand(text)));
    await open().commands.send('b', { kind: 'resume' });
    const waiting = await open().commands.listPending('a');
    expect(waiting.map(({ id }) => id)).toEqual(ids);
    expect(waiting.map(({ command }) => command)).toEqual([
      createSayCommand('one'),
      createSayCommand('two'),
      createSayCommand('three'),
    ]);
    expect(new Set(ids).size).toBe(3);
    expect(await open().commands.listPending('b')).toMatchObject([{ command: { kind: 'resume' } }]);
    expect(await open().commands.listPending('none')).toEqual([]);
  });

  it('stores every text unchanged', async () => {
    const store = make()();
    await store.create(createSampleSession(), 'me');
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        const id = await store.commands.send('a', createSayCommand(text));
        expect(await store.commands.listPending('a')).toEqual([{ id, command: createSayCommand(text) }]);
        await store.commands.remove('a', id);
      }),
      { numRuns: 20 },
    );
    await store.commands.send('a', createSayCommand('\ud800 __proto__ \u0000'));
    expect(await listPendingTexts(store)).toEqual(['\ud800 __proto__ \u0000']);
  });

  it('removes a command without effect, and ignores one that does not exist', async () => {
    const store = make()();
    await store.create(createSampleSession(), 'me');
    const first = await store.commands.send('a', createSayCommand('one'));
    await store.commands.send('a', createSayCommand('two'));
    await store.commands.remove('a', first);
    await store.commands.remove('a', first);
    await store.commands.remove('none', first);
    expect(await listPendingTexts(store)).toEqual(['two']);
  });

  it('rejects a removal under a stale claim', async () => {
    const store = make()();
    const { fence } = await store.create(createSampleSession(), 'me');
    const first = await store.commands.send('a', createSayCommand('one'));
    const { fence: last } = await store.claim('a', 'other');
    await expect(store.commands.remove('a', first, fence)).rejects.toMatchObject({ code: 'held' });
    expect(await listPendingTexts(store)).toEqual(['one']);
    await store.commands.remove('a', first, last);
    expect(await listPendingTexts(store)).toEqual([]);
    await store.remove('a');
    await expect(store.commands.remove('a', first, last)).rejects.toMatchObject({ code: 'missing' });
  });

  it('removes commands with their session, and does not copy them into a fork', async () => {
    const store = make()();
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      3,
    );
    const gone = await store.commands.send('a', createSayCommand('one'), { requestId: 'r' });
    await forkStoredSession(store, 'a', { at: 2, newId: 'b', owner: 'me', now: 9_000 });
    expect(await store.commands.listPending('b')).toEqual([]);
    expect(await listPendingTexts(store)).toEqual(['one']);
    await store.remove('a');
    expect(await store.commands.listPending('a')).toEqual([]);
    await store.create(createSampleSession(), 'me');
    expect(await store.commands.listPending('a')).toEqual([]);
    const repeated = await store.commands.send('a', createSayCommand('two'), { requestId: 'r' });
    expect(repeated).not.toBe(gone);
    expect(await listPendingTexts(store)).toEqual(['two']);
  });
}

type StartedSession = {
  readonly at: LogPosition;
  readonly append: (at: LogPosition, command: string) => Promise<LogPosition>;
};

async function startSession(store: Store): Promise<StartedSession> {
  const at = await store.create(createSampleSession(), 'me');
  return {
    at,
    append: async (from, command) => {
      const { session: before } = await store.open('a');
      const event: Event = markExecutedCommand({ type: 'steered', at: 2_000, text: command }, command);
      return store.append('a', from, [event], step(before, event).session);
    },
  };
}

function describeCommandRemoval(make: () => () => Store): void {
  it('removes a command together with its event, or not at all', async () => {
    const open = make();
    const { at, append } = await startSession(open());
    const command = await open().commands.send('a', createSayCommand('one'));
    await open().commands.send('a', createSayCommand('two'));
    await expect(append({ ...at, head: at.head + 1 }, command)).rejects.toMatchObject({ code: 'conflict' });
    await expect(append({ ...at, fence: at.fence + 1 }, command)).rejects.toMatchObject({ code: 'held' });
    expect(await listPendingTexts(open())).toEqual(['one', 'two']);
    await append(at, command);
    expect(await listPendingTexts(open())).toEqual(['two']);
    expect(await open().verify('a')).toEqual({ ok: true, head: 1 });
  });

  it('removes only commands of the same session, and ignores unknown ids', async () => {
    const store = make()();
    const { at, append } = await startSession(store);
    await store.create(createSampleSession('b'), 'me');
    const theirs = await store.commands.send('b', createSayCommand('theirs'));
    const next = await append(await append(at, theirs), '12345-0');
    expect(await listPendingTexts(store, 'b')).toHaveLength(1);
    expect(next.head).toBe(2);
  });

  it('never reuses an id', async () => {
    const store = make()();
    const { append, ...begin } = await startSession(store);
    let { at } = begin;
    const ids = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      const id = await store.commands.send('a', createSayCommand('again'));
      ids.add(id);
      at = await append(at, id);
    }
    expect(ids.size).toBe(5);
  });
}

function describeRequestIds(make: () => () => Store): void {
  it('stores a command that is sent twice with one request id once, before and after it was executed', async () => {
    const open = make();
    const { at, append } = await startSession(open());
    await open().create(createSampleSession('b'), 'me');
    const requestId = 'of-mine';
    const first = await open().commands.send('a', createSayCommand('one'), { requestId });
    expect(await open().commands.send('a', createSayCommand('one'), { requestId })).toBe(first);
    expect(await listPendingTexts(open())).toEqual(['one']);
    await append(at, first);
    expect(await open().commands.send('a', createSayCommand('one'), { requestId })).toBe(first);
    expect(await open().commands.listPending('a')).toEqual([]);
    const dropped = await open().commands.send('a', createSayCommand('two'), { requestId: '__proto__' });
    await open().commands.remove('a', dropped);
    expect(await open().commands.send('a', createSayCommand('two'), { requestId: '__proto__' })).toBe(
      dropped,
    );
    await open().commands.send('b', createSayCommand('other'), { requestId });
    expect(await listPendingTexts(open(), 'b')).toEqual(['other']);
  });

  it('stores it once even if many processes send it concurrently', async () => {
    const open = make();
    await open().create(createSampleSession(), 'me');
    const sent = Array.from({ length: 12 }, () =>
      open().commands.send('a', createSayCommand('one'), { requestId: 'same' }),
    );
    expect(new Set(await Promise.all(sent)).size).toBe(1);
    expect(await listPendingTexts(open())).toEqual(['one']);
  });

  it('remembers the last thousand request ids of a session', async () => {
    const store = make()();
    await store.create(createSampleSession(), 'me');
    const send = (number: number): Promise<string> =>
      store.commands.send('a', { kind: 'resume' }, { requestId: `r${number}` });
    const ids: string[] = [];
    for (let number = 0; number <= commandLimits.requestIdsMax; number += 1) {
      const id = await send(number);
      ids.push(id);
      await store.commands.remove('a', id);
    }
    expect(await send(1)).toBe(ids[1]);
    expect(await send(commandLimits.requestIdsMax)).toBe(ids.at(-1));
    expect(await store.commands.listPending('a')).toEqual([]);
    expect(await send(0)).not.toBe(ids[0]);
    expect(await store.commands.listPending('a')).toHaveLength(1);
  });
}

function describeCommandRefusals(make: () => () => Store): void {
  it('rejects an unknown session', async () => {
    const sending = make()().commands.send('b', { kind: 'resume' });
    await expect(sending).rejects.toMatchObject({
      code: 'missing',
      message: expect.stringContaining('"b"'),
    });
  });

  it('rejects an invalid command, one that is too long, and an invalid request id', async () => {
    const store = make()();
    await store.create(createSampleSession(), 'me');
    const send = (command: unknown, requestId?: string): Promise<string> =>
      store.commands.send('a', command as SessionCommand, requestId === undefined ? {} : { requestId });
    const invalid = { code: 'invalid' };
    await expect(send({ kind: 'halt' })).rejects.toMatchObject(invalid);
    await expect(send({ kind: '__proto__' })).rejects.toMatchObject(invalid);
    await expect(send(undefined)).rejects.toMatchObject(invalid);
    await expect(send(createSayCommand('x'.repeat(commandLimits.lengthMax)))).rejects.toMatchObject(invalid);
    await expect(send({ kind: 'resume' }, '')).rejects.toMatchObject(invalid);
    await expect(send({ kind: 'resume' }, 'x'.repeat(201))).rejects.toMatchObject(invalid);
    await expect(send({ kind: 'resume' }, '\ud800')).rejects.toMatchObject(invalid);
    expect(await store.commands.listPending('a')).toEqual([]);
  });

  it('holds a thousand pending commands, and lists a hundred at once', async () => {
    const store = make()();
    await store.create(createSampleSession(), 'me');
    const ids: string[] = [];
    for (let count = 0; count < commandLimits.pendingMax; count += 1) {
      ids.push(await store.commands.send('a', { kind: 'resume' }, { requestId: `r${count}` }));
    }
    await expect(store.commands.send('a', { kind: 'resume' })).rejects.toMatchObject({ code: 'full' });
    expect(await store.commands.send('a', { kind: 'resume' }, { requestId: 'r7' })).toBe(ids[7]);
    expect((await store.commands.listPending('a')).map(({ id }) => id)).toEqual(
      ids.slice(0, commandLimits.listedMax),
    );
    await store.commands.remove('a', ids[0] ?? '');
    await store.commands.send('a', { kind: 'resume' });
  });
}
