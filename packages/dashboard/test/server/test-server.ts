import { createSession, replay, type Event, type Json, type RequestedCall, iterateItems } from '@pawl/core';
import { defineTool, type Model } from '@pawl/runtime';
import { createMemoryStore, getProcessOwner, type Store } from '@pawl/runtime/store';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import {
  createLocalHost,
  startDashboard,
  type SessionHost,
  type RunningDashboard,
  type StartDashboardOptions,
} from '../../src/index.ts';

export type ScriptedServerReply = {
  readonly text?: string;
  readonly calls?: readonly RequestedCall[];
  /** Streaming continues until this promise resolves. */
  readonly before?: Promise<unknown>;
};

/** A listening server with a real store and a scripted model. */
export type TestServer = {
  readonly store: Store;
  readonly host: SessionHost;
  readonly running: RunningDashboard;
  readonly token: string;
  /** The texts that the tool `note` received, in order. */
  readonly notes: readonly string[];
  readonly outages: readonly string[];
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  readonly post: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
  /** Creates a session over HTTP and returns its id. */
  begin(goal: string): Promise<string>;
  /** Stores a session with these events, as if an earlier run had left it. */
  keep(id: string, events: readonly Event[], about?: Json): Promise<void>;
  /** Resolves when the session has that status. */
  until(id: string, status: string): Promise<void>;
};

export type TestServerOptions = Partial<StartDashboardOptions> & {
  readonly replies?: readonly ScriptedServerReply[];
  readonly store?: Store;
  readonly hostFor?: (local: SessionHost, store: Store) => SessionHost;
  readonly whyNot?: (about: Json) => string | null;
};

const token = 'a-token-that-is-long-enough';

export async function startTestServer({
  replies = [],
  store = createMemoryStore(),
  hostFor = (local) => local,
  whyNot = () => null,
  ...options
}: TestServerOptions = {}): Promise<TestServer & AsyncDisposable> {
  const notes: string[] = [];
  const outages: string[] = [];
  const host = hostFor(createTestHost({ store, replies, notes, outages, whyNot }), store);
  const running = await startDashboard({
    store,
    host,
    token,
    assets: '/nowhere/at/all',
    pollMs: 20,
    secrets: [],
    onError: (message) => void outages.push(message),
    ...options,
  });
  const get: TestServer['get'] = (path, headers = {}) =>
    fetch(running.url + path, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      redirect: 'manual',
    });
  const post: TestServer['post'] = (path, body, headers = {}) =>
    fetch(running.url + path, {
      method: 'POST',
      body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
      headers: {
        authorization: `Bearer ${token}`,
        'x-pawl': '1',
        'content-type': 'application/json',
        ...headers,
      },
    });
  return {
    store,
    host,
    running,
    token,
    notes,
    outages,
    get,
    post,
    async begin(goal) {
      const answer = await post('/api/v1/sessions', { requestId: crypto.randomUUID(), goal });
      return ((await answer.json()) as { id: string }).id;
    },
    async keep(id, events, metadata = { dir: '/somewhere', model: 'recorded' }) {
      const session = createSession({ id, at: 1_000 });
      const position = await store.create(session, 'somebody', { metadata });
      await store.append(id, position, events, replay(session, events));
    },
    async until(id, status) {
      for (;;) {
        const { session, owner } = await store.open(id);
        const now = session.turn.status;
        if (now === status && host.getHolder({ id, owner, status: now }) !== 'here') return;
        await sleep(5);
      }
    },
    async [Symbol.asyncDispose]() {
      await running.close();
      await host.close();
      await store.close();
    },
  };
}

type TestHostOptions = Required<Pick<TestServerOptions, 'replies' | 'store' | 'whyNot'>> & {
  readonly notes: string[];
  readonly outages: string[];
};

function createTestHost({
  store,
  replies,
  notes,
  outages,
  whyNot: findDisabledReason,
}: TestHostOptions): SessionHost {
  const note = defineTool({
    name: 'note',
    description: 'writes something down',
    parameters: z.object({ text: z.string() }),
    async run({ text }) {
      notes.push(text);
      return { ok: true, output: `noted: ${text}` };
    },
  });
  return createLocalHost({
    store,
    owner: getProcessOwner(),
    now: Date.now,
    storeLocation: { kind: 'memory', where: null },
    findDisabledReason,
    onError: (message) => void outages.push(message),
    prepare: async ({ dir = '/somewhere', model = 'scripted' }, id) => ({
      session: createSession({ id, at: Date.now() }),
      metadata: { dir, model, profile: 'pawl', prompt: 'Be brief.', tools: [{ ...note.description }] },
    }),
    agentFactory: async ({ waitForPerson }) => ({
      model: createConversationModel(replies),
      tools: [note],
      prompt: 'Be brief.',
      rules: () => 'ask',
      decide: (_, signal) => waitForPerson(signal),
    }),
  });
}

/** Selects the reply by the conversation, so that a resumed session continues the script. */
function createConversationModel(replies: readonly ScriptedServerReply[]): Model {
  return {
    name: 'scripted',
    async *stream({ conversation }, signal) {
      const place = [...iterateItems(conversation)].filter(({ role }) => role === 'assistant').length;
      const {
        text = '',
        calls = [],
        before = null,
      } = replies[place] ?? { text: 'There is nothing more to say.' };
      for (const word of text.split(/(?<= )/)) {
        yield { type: 'text', text: word };
        await sleep(0);
        if (signal.aborted) return;
      }
      yield* talkUntil(before, signal);
      if (signal.aborted) return;
      yield { type: 'reply', text, calls, usage: { inputTokens: 10, outputTokens: 5 } };
    },
  };
}

/** Streams word by word until the promise resolves. */
async function* talkUntil(
  promise: Promise<unknown> | null,
  signal: AbortSignal,
): AsyncGenerator<{ type: 'text'; text: string }> {
  const kept = Promise.resolve(promise).then(() => true);
  while (!signal.aborted && !(await Promise.race([kept, sleep(10, false)])))
    yield { type: 'text', text: 'more ' };
}

/** Collects the messages of a server-sent event stream. */
export async function* readStreamMessages(
  response: Response,
): AsyncGenerator<{ readonly event: string; readonly id: string | null; readonly data: unknown }> {
  let text = '';
  for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const field = (name: string): string | null =>
        new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
      const [event, data] = [field('event'), field('data')];
      if (event !== null && data !== null) yield { event, id: field('id'), data: JSON.parse(data) };
    }
  }
}

/** Reads a stream until the messages suffice, then closes it. */
export async function takeMessages<Message>(
  from: AsyncGenerator<Message>,
  isEnough: (messages: readonly Message[]) => boolean,
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for await (const message of from) {
    messages.push(message);
    if (isEnough(messages)) break;
  }
  return messages;
}

/** A short run: a goal, a successful call, an answer. */
export const shortRunEvents: readonly Event[] = [
  { type: 'user-message', at: 2_000, text: 'Sort the attic' },
  {
    type: 'model-replied',
    at: 3_000,
    text: '',
    calls: [{ id: 'c1', tool: 'look', args: { where: 'attic' } }],
    usage: { inputTokens: 100, outputTokens: 10, cost: 0.25 },
  },
  { type: 'tool-started', at: 3_100, callId: 'c1' },
  { type: 'tool-finished', at: 3_500, callId: 'c1', outcome: { ok: true, output: 'three boxes' } },
  {
    type: 'model-replied',
    at: 4_000,
    text: 'Done.',
    calls: [],
    usage: { inputTokens: 120, outputTokens: 4 },
  },
];
