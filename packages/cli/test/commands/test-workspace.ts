import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, type Json, type SessionOptions } from '@pawl/core';
import { Agent, defineTool, type AgentOptions, type RuntimeClock } from '@pawl/runtime';
import { createScriptedModel, type ScriptedReply } from '@pawl/runtime/models';
import { createStoreEventLog, openSqliteStore, type Store } from '@pawl/runtime/store';
import * as z from 'zod';
import { main } from '../../src/main.ts';
import { captureIo } from '../capture-io.ts';

export type PawlResult = { readonly code: number; readonly out: string; readonly err: string };

/** A working folder with its own store, and the commands that use them. */
export type TestWorkspace = {
  readonly dir: string;
  readonly file: string;
  readonly store: Store;
  pawl(...args: readonly string[]): Promise<PawlResult>;
  /** Returns the parsed --json output of a command. */
  json(...args: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
};

export function createTestWorkspace(): TestWorkspace {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-sessions-')));
  const file = join(dir, 'kept', 'sessions.db');
  const store = openSqliteStore(file);
  const pawl = async (command = '', ...args: readonly string[]): Promise<PawlResult> => {
    const { io, out, err } = captureIo();
    const code = await main([command, '--store', file, '--dir', dir, ...args], io);
    return { code, out: out(), err: err() };
  };
  return {
    dir,
    file,
    store,
    pawl,
    async json(...args) {
      const { out } = await pawl(...args, '--json');
      return splitLines(out).map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async close() {
      await store.close();
      rmSync(dir, { recursive: true });
    },
  };
}

export function splitLines(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

/** A clock that advances by one second per read; timers never fire. */
function createTickingClock(start: number): RuntimeClock {
  let now = start;
  return {
    now: () => (now += 1_000),
    sleepUntil: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  };
}

export type ScriptedRun = {
  readonly id?: string;
  readonly goal: string;
  readonly replies: readonly ScriptedReply[];
  readonly about?: Json;
  readonly owner?: string;
  readonly start?: number;
  readonly settings?: SessionOptions['settings'];
  readonly agent?: Partial<AgentOptions>;
};

/** Runs an agent and stores its session. */
export async function saveRun({ dir, store }: TestWorkspace, run: ScriptedRun): Promise<string> {
  const { id = crypto.randomUUID(), goal, replies, start = 1_700_000_000_000, settings = {} } = run;
  const metadata = run.about ?? { dir, model: 'scripted', profile: 'pawl' };
  const clock = createTickingClock(start);
  const session = createSession({ id, at: start, settings });
  const position = await store.create(session, run.owner ?? 'a test', { metadata, createdAt: start });
  const agent = new Agent({
    session,
    log: createStoreEventLog(store, id, position),
    model: createScriptedModel(replies),
    tools: [lookTool, putTool],
    clock,
    ...run.agent,
  });
  void agent.sendMessage(goal);
  await agent.waitUntilIdle();
  return id;
}

export const lookTool = defineTool({
  name: 'look',
  description: 'Looks at something.',
  parameters: z.object({ at: z.string() }),
  effect: 'read-only',
  run: async ({ at }) => ({ ok: true, output: `nothing new at ${at}` }),
});

export const putTool = defineTool({
  name: 'put',
  description: 'Puts something into a file.',
  parameters: z.object({ path: z.string(), text: z.string() }),
  run: async ({ path, text }) => ({
    ok: true,
    output: `put ${text.length} characters`,
    files: [{ path, hash: text }],
  }),
});

export const createLookReply = (at: string): ScriptedReply => ({
  text: `I look at ${at}.`,
  calls: [{ tool: 'look', args: { at } }],
});

export const createPutReply = (path: string, text: string): ScriptedReply => ({
  calls: [{ id: `put-${path}`, tool: 'put', args: { path, text } }],
});

export const createTextReply = (text: string): ScriptedReply => ({ text });

/** A run that searches, changes a file and answers. */
export const successfulRun: ScriptedRun = {
  goal: 'Mend the roof',
  replies: [
    createLookReply('roof'),
    createPutReply('roof.txt', 'tiles'),
    createTextReply('The roof is mended.'),
  ],
};

/** A run that loops until it is stopped. */
export const stuckRun: ScriptedRun = {
  goal: 'Find the key',
  replies: [...Array.from({ length: 12 }, () => createLookReply('drawer')), createTextReply('I give up.')],
};
