import {
  createSession,
  replay,
  type Event,
  type RequestedCall,
  type Session,
  iterateItems,
} from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import type { Model, ModelChunk, Tool } from '@pawl/runtime';
import { passthroughSandbox } from '@pawl/runtime/sandbox';
import { indexFolder } from '@pawl/runtime/search';
import { createMemoryStore, getProcessOwner, type Store } from '@pawl/runtime/store';
import { createCodingTools, createPhaseTools } from '@pawl/runtime/tools';
import type { AgentFactoryContext, AgentSetup } from '@pawl/worker';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalHost, type SessionHost } from '../../src/index.ts';

/**
 * The reply of a scripted model. Streaming starts when `from` resolves, and the reply completes when `until` resolves.
 */
export type ScriptedAnswer = {
  readonly text?: string;
  readonly calls?: readonly RequestedCall[];
  readonly from?: Promise<unknown>;
  readonly until?: Promise<unknown>;
  readonly failure?: Extract<ModelChunk, { readonly type: 'failure' }>['error'];
};

/** Real tools on a temporary folder, a real store, and a model that replies according to the script of the goal. */
export type ScriptedWorld = {
  readonly store: Store;
  readonly host: SessionHost;
  readonly dir: string;
  /** Sets the replies for a goal. */
  script(goal: string, answers: readonly ScriptedAnswer[]): void;
  /** Starts a session through the host, as the dashboard does. */
  begin(goal: string, answers: readonly ScriptedAnswer[], profile?: string): Promise<string>;
  /** Resolves when the session has that status and this process no longer holds it. */
  until(id: string, status: Session['turn']['status']): Promise<Session>;
  /** Stores a session with these events. */
  keep(session: Session, events: readonly Event[]): Promise<string>;
  close(): Promise<void>;
};

/** The owner id of a process that has ended, so that its sessions have no holder. */
export const endedProcess: string = getProcessOwner().replace(/start=.*/u, 'start=0');

export async function createScriptedWorld(): Promise<ScriptedWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'pawl-browser-'));
  await writeFile(join(dir, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
  await writeFile(join(dir, 'notes.md'), '# Notes\n\nThe sum is wrong.\n');
  const store = createMemoryStore();
  const scripts = new Map<string, readonly ScriptedAnswer[]>();
  const host = createLocalHost({
    store,
    owner: 'browser-test',
    now: Date.now,
    storeLocation: { kind: 'memory', where: null },
    findDisabledReason: () => null,
    onError: (message) => console.error(message),
    agentFactory: (opened) => createFolderAgent(dir, scripts, opened),
    prepare: async ({ profile: name = 'pawl' }, id) => {
      const { settings } = findProfile(name) ?? { settings: {} };
      const session = createSession({ id, at: Date.now(), profile: name, settings });
      const { tools: all, close } = await createFolderTools(dir);
      await close();
      const tools = all.map(({ description }) => description);
      return { session, metadata: { dir, model: 'scripted', profile: name, prompt, tools } };
    },
  });
  return {
    store,
    host,
    dir,
    script: (goal, answers) => void scripts.set(goal, answers),
    async begin(goal, answers, profile) {
      scripts.set(goal, answers);
      const { id } = await host.submit({ requestId: crypto.randomUUID(), goal, ...(profile && { profile }) });
      return id;
    },
    async until(id, status) {
      for (;;) {
        const { session, owner } = await store.open(id);
        const holder = host.getHolder({ id, owner, status: session.turn.status });
        if (session.turn.status === status && holder !== 'here') return session;
        await sleep(10);
      }
    },
    async keep(session, events) {
      const position = await store.create(session, endedProcess, { metadata: { dir, model: 'recorded' } });
      await store.append(session.id, position, events, replay(session, events));
      return session.id;
    },
    async close() {
      await host.close();
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function createFolderAgent(
  dir: string,
  scripts: ReadonlyMap<string, readonly ScriptedAnswer[]>,
  { waitForPerson, post, now }: AgentFactoryContext,
): Promise<AgentSetup> {
  const { tools, close } = await createFolderTools(dir);
  return {
    model: createGoalModel(scripts),
    prompt,
    tools: [...tools, ...createPhaseTools({ post, phases: () => now().phases })],
    rules: ({ tool }) => (askingTools.has(tool) ? 'ask' : 'allow'),
    decide: (_, signal) => waitForPerson(signal),
    close,
  };
}

const prompt = 'You repair small programs.';

async function createFolderTools(
  dir: string,
): Promise<{ readonly tools: readonly Tool[]; readonly close: () => Promise<void> }> {
  const folder = await indexFolder(dir);
  return {
    tools: createCodingTools({ folder, sandbox: passthroughSandbox }),
    close: async () => folder[Symbol.dispose](),
  };
}

const askingTools: ReadonlySet<string> = new Set(['write', 'edit', 'shell']);

/** Selects the reply by the conversation, so that a fork continues where it was forked. */
function createGoalModel(scripts: ReadonlyMap<string, readonly ScriptedAnswer[]>): Model {
  return {
    name: 'scripted',
    async *stream({ conversation }, signal) {
      const messages = [...iterateItems(conversation)];
      const goal = messages.find((message) => message.role === 'user')?.text ?? '';
      const replyIndex = messages.filter((message) => message.role === 'assistant').length;
      const answer = scripts.get(goal)?.[replyIndex] ?? { text: 'That is all there is to say.' };
      yield* streamAnswer(answer, messages.length, signal);
    },
  };
}

async function* streamAnswer(
  { text = '', calls = [], from, until, failure }: ScriptedAnswer,
  length: number,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  if (failure !== undefined) return yield { type: 'failure', error: failure };
  const aborted = once(signal, 'abort');
  await Promise.race([from, aborted]);
  for (const word of until === undefined ? [] : text.split(/(?<= )/u)) yield { type: 'text', text: word };
  await Promise.race([until, aborted]);
  if (signal.aborted) return;
  const usage = { inputTokens: 400 + length * 90, outputTokens: 20 + Math.ceil(text.length / 4) };
  yield { type: 'reply', text, calls, usage };
}
