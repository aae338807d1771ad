import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTraces, type ReadTracesOptions } from '../../src/traces/read-traces.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-stores-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function writeJson(name: string, value: unknown): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  return path;
}

type Summary = { readonly runs: readonly string[]; readonly problems: readonly string[] };

/** The runs with the number of their steps, and the problems. */
async function summarizeStores(paths: readonly string[], options: ReadTracesOptions = {}): Promise<Summary> {
  const [runs, problems]: [string[], string[]] = [[], []];
  for await (const item of readTraces(paths, options)) {
    if ('run' in item) runs.push(`${item.run.id}: ${item.run.steps.length}`);
    else problems.push(item.problem.message);
  }
  return { runs, problems };
}

type Row = { readonly id: string; readonly [name: string]: unknown };
type Session = {
  readonly info: Row;
  readonly messages: readonly { readonly info: Row; readonly parts: readonly Row[] }[];
};

/** A session that opencode 1.18.33 exported. */
const session = JSON.parse(
  readFileSync(new URL('../../../governor/test/traces/recordings/opencode.jsonl', import.meta.url), 'utf8'),
) as Session;

const child: Session = {
  info: { id: 'ses_child', parentID: session.info.id },
  messages: [{ info: { id: 'msg_c', role: 'user' }, parts: [{ id: 'prt_c', type: 'text', text: 'Look' }] }],
};

async function writeStorage(root: string, { info, messages }: Session): Promise<string> {
  const path = await writeJson(`${root}/session/global/${info.id}.json`, info);
  for (const message of messages) {
    await writeJson(`${root}/message/${info.id}/${message.info.id}.json`, message.info);
    for (const part of message.parts)
      await writeJson(`${root}/part/${message.info.id}/${part.id}.json`, part);
  }
  return path;
}

function createDatabase(name: string, sessions: readonly Session[], journal = 'DELETE'): DatabaseSync {
  const database = new DatabaseSync(join(folder, name));
  database.exec(`PRAGMA journal_mode = ${journal};
    CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);`);
  for (const [index, { info, messages }] of sessions.entries()) {
    const parent = info['parentID'] ?? null;
    database.prepare('INSERT INTO session VALUES (?, ?, ?)').run(info.id, parent as string | null, index);
    for (const [time, message] of messages.entries()) {
      const data = JSON.stringify(message.info);
      database.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run(message.info.id, info.id, time, data);
      for (const part of message.parts) {
        const values = [part.id, message.info.id, info.id, JSON.stringify(part)];
        database.prepare('INSERT INTO part VALUES (?, ?, ?, ?)').run(...values);
      }
    }
  }
  return database;
}

async function collectRuns(path: string): Promise<readonly unknown[]> {
  const runs: unknown[] = [];
  for await (const item of readTraces([path])) runs.push('run' in item ? item.run : item.problem);
  return runs;
}

describe('the files of opencode', () => {
  it('are joined to sessions, and a sub-agent is a run of its own', async () => {
    const path = await writeStorage('storage', session);
    await writeStorage('storage', child);
    await writeJson('storage/session_diff/ses_1.json', []);
    await writeJson('storage/project/global.json', { id: 'global' });
    const whole = [`${session.info.id}: 5`, `${session.info.id}/ses_child: 1`];
    const sorted = [...whole].toSorted();
    const { runs, problems } = await summarizeStores([folder]);
    expect([runs.toSorted(), problems]).toEqual([sorted, []]);
    expect(await summarizeStores([path])).toEqual({ runs: [whole[0]], problems: [] });
    expect(await summarizeStores([join(folder, 'storage', 'session')])).toMatchObject({ problems: [] });
  });

  it('hold the same as an exported session', async () => {
    const path = await writeStorage('storage', session);
    expect(await collectRuns(path)).toEqual(await collectRuns(await writeJson('export.json', session)));
  });

  it('may be those of the first versions', async () => {
    const { info, messages } = child;
    await writeJson(`storage/session/info/${info.id}.json`, info);
    for (const message of messages) {
      await writeJson(`storage/session/message/${info.id}/${message.info.id}.json`, message.info);
      for (const part of message.parts)
        await writeJson(`storage/session/part/${info.id}/${message.info.id}/${part.id}.json`, part);
    }
    expect(await summarizeStores([folder])).toEqual({
      runs: [`${session.info.id}/ses_child: 1`],
      problems: [],
    });
  });

  it('that are broken are reported, and the rest is used', async () => {
    await writeStorage('storage', session);
    await writeJson(`storage/message/${session.info.id}/msg_0.json`, '{"id":');
    const { runs, problems } = await summarizeStores([folder]);
    expect(runs).toEqual([`${session.info.id}: 5`]);
    expect(problems).toEqual([expect.stringMatching(/^invalid JSON: /)]);
  });

  it('are not held beyond the limit', async () => {
    await writeStorage('storage', session);
    const { runs, problems } = await summarizeStores([folder], { limits: { heldBytes: 500 } });
    expect(runs).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^the session ses_\w+ exceeds 0 MB$/)]);
  });
});

describe('the database of opencode', () => {
  it('has each session with its messages and parts', async () => {
    createDatabase('opencode.db', [session, child]).close();
    const path = join(folder, 'opencode.db');
    expect(await summarizeStores([path])).toEqual({
      runs: [`${session.info.id}: 5`, `${session.info.id}/ses_child: 1`],
      problems: [],
    });
    const [first] = await collectRuns(path);
    expect([first]).toEqual(await collectRuns(await writeJson('export.json', session)));
  });

  it('is not written to, and no file appears beside it', async () => {
    createDatabase('opencode.db', [session], 'WAL').close();
    const path = join(folder, 'opencode.db');
    const before = await readFile(path);
    await summarizeStores([path]);
    expect(await readdir(folder)).toEqual(['opencode.db']);
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  it('is read while opencode has it open, with what is only in its log', async () => {
    const database = createDatabase('opencode.db', [session], 'WAL');
    try {
      expect((await summarizeStores([folder])).runs).toEqual([`${session.info.id}: 5`]);
    } finally {
      database.close();
    }
  });

  it('hides the files that it was made of', async () => {
    createDatabase('opencode.db', [session]).close();
    await writeStorage('storage', session);
    expect((await summarizeStores([folder])).runs).toEqual([`${session.info.id}: 5`]);
  });

  it('with broken data is read as far as possible', async () => {
    const database = createDatabase('opencode.db', [session]);
    database.exec(`INSERT INTO message VALUES ('msg_x', '${session.info.id}', 99, '{')`);
    database.close();
    expect(await summarizeStores([folder])).toEqual({
      runs: [`${session.info.id}: 5`],
      problems: ['messages[4]: a message without a known role'],
    });
  });

  it('is not held beyond the limit', async () => {
    createDatabase('opencode.db', [session, child]).close();
    const { runs, problems } = await summarizeStores([folder], { limits: { heldBytes: 500 } });
    expect(runs).toEqual([`${session.info.id}/ses_child: 1`]);
    expect(problems).toEqual([`the session ${session.info.id} exceeds 0 MB`]);
  });

  it('is no other database, which is only reported where it was named', async () => {
    const path = join(folder, 'other.db');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE session (id TEXT)');
    database.close();
    expect(await summarizeStores([folder])).toEqual({ runs: [], problems: [] });
    expect((await summarizeStores([path])).problems).toEqual([
      'it is a database, but not one of opencode or Cursor',
    ]);
  });

  it('that is damaged is reported', async () => {
    const path = await writeJson('opencode.db', 'SQLite format 3\0 and nothing else');
    expect((await summarizeStores([path])).problems).toEqual([
      expect.stringMatching(/^reading the database failed: /),
    ]);
  });
});

/** Creates the state of Cursor's editor with conversations, of which each has these messages. */
function createCursorState(name: string, rows: Readonly<Record<string, unknown>>): void {
  const database = new DatabaseSync(join(folder, name));
  database.exec(`CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
    CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);`);
  const insert = database.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)');
  for (const [key, value] of Object.entries(rows))
    insert.run(key, typeof value === 'string' ? value : Buffer.from(JSON.stringify(value)));
  database.close();
}

const bubble = (type: 1 | 2, text: string, more: object = {}): object => ({ _v: 3, type, text, ...more });

describe('the state of the editor of Cursor', () => {
  const conversation = {
    'composerData:c1': {
      _v: 10,
      composerId: 'c1',
      fullConversationHeadersOnly: [
        { bubbleId: 'b2', type: 1 },
        { bubbleId: 'b1', type: 2 },
      ],
    },
    'bubbleId:c1:b1': bubble(2, 'I look.', {
      toolFormerData: { name: 'read_file', rawArgs: '{"path":"a"}', status: 'completed', result: 'b' },
    }),
    'bubbleId:c1:b2': bubble(1, 'Fix the build'),
    'bubbleId:c10:b1': bubble(1, 'Of another conversation'),
  };

  it('has conversations with their messages in the order of their headers', async () => {
    createCursorState('state.vscdb', {
      ...conversation,
      'composerData:empty': { composerId: 'empty', fullConversationHeadersOnly: [] },
      'composerData:old': { composerId: 'old', conversation: [bubble(1, 'Hello'), bubble(2, 'Yes?')] },
      'cursorAuth/accessToken': 'secret',
    });
    const path = join(folder, 'state.vscdb');
    expect(await summarizeStores([path])).toEqual({ runs: ['c1: 2', 'old: 2'], problems: [] });
    expect(await collectRuns(path)).toMatchObject([
      {
        source: 'cursor',
        steps: [{ text: 'Fix the build' }, { tool: 'read_file', args: { path: 'a' }, result: 'b' }],
      },
      { steps: [{ text: 'Hello' }, { text: 'Yes?' }] },
    ]);
    expect(await readdir(folder)).toEqual(['state.vscdb']);
  });

  it('reports what is missing or broken in it', async () => {
    const { 'bubbleId:c1:b2': _, ...rest } = conversation;
    createCursorState('state.vscdb', { ...rest, 'composerData:c2': '{' });
    expect(await summarizeStores([folder])).toEqual({
      runs: ['c1: 1'],
      problems: ['bubbles[0]: the message is not in the database', 'the conversation c2 is not valid JSON'],
    });
  });

  it('is not held beyond the limit', async () => {
    createCursorState('state.vscdb', conversation);
    const { runs, problems } = await summarizeStores([folder], { limits: { heldBytes: 100 } });
    expect([runs, problems]).toEqual([[], ['the session c1 exceeds 0 MB']]);
  });
});

/** Creates a chat of Cursor's command line interface: a tree of blobs, whose leaves are messages. */
function createCursorChat(name: string, messages: readonly object[], root?: string): void {
  const database = new DatabaseSync(join(folder, name));
  database.exec(
    'CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT, value TEXT);',
  );
  const save = (data: Buffer): string => {
    const id = createHash('sha256').update(data).digest('hex');
    database.prepare('INSERT OR REPLACE INTO blobs VALUES (?, ?)').run(id, data);
    return id;
  };
  const link = (ids: readonly string[]): string =>
    save(Buffer.concat(ids.map((id) => Buffer.concat([Buffer.from([0x0a, 0x20]), Buffer.from(id, 'hex')]))));
  const leaves = messages.map((message) => save(Buffer.from(JSON.stringify(message))));
  const latestRootBlobId = root ?? link([link(leaves.slice(0, 2)), ...leaves.slice(2)]);
  const meta = { agentId: 'a1', latestRootBlobId, name: 'Build', lastUsedModel: 'm' };
  database
    .prepare('INSERT INTO meta VALUES (?, ?)')
    .run('0', Buffer.from(JSON.stringify(meta)).toString('hex'));
  database.close();
}

const chat = [
  { role: 'user', content: '<user_query>\nFix the build\n</user_query>' },
  {
    id: '1',
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 't', toolName: 'Read', args: { path: 'a' } }],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 't', toolName: 'Read', result: 'b', isError: false }],
  },
  { id: '1', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
];

describe('a chat of the command line interface of Cursor', () => {
  it('has the messages in its tree of blobs', async () => {
    createCursorChat('store.db', chat);
    expect(await collectRuns(join(folder, 'store.db'))).toMatchObject([
      {
        id: 'a1',
        source: 'cursor',
        model: 'm',
        steps: [{ text: 'Fix the build' }, { tool: 'Read', result: 'b', error: false }, { text: 'Done.' }],
      },
    ]);
  });

  it('hides the transcript of the same session, which has no results', async () => {
    const line = { role: 'user', message: { content: [{ type: 'text', text: 'Fix the build' }] } };
    await writeJson('projects/p/agent-transcripts/a1/a1.jsonl', `${JSON.stringify(line)}\n`);
    await writeJson('projects/p/agent-transcripts/a2/a2.jsonl', `${JSON.stringify(line)}\n`);
    createCursorChat('chats.db', chat);
    const { runs, problems } = await summarizeStores([join(folder, 'chats.db'), folder]);
    expect(runs).toEqual(['a1: 3', 'projects/p/agent-transcripts/a2/a2: 1']);
    expect(problems).toEqual([]);
  });

  it('without readable messages is reported', async () => {
    createCursorChat('store.db', [], '00');
    expect((await summarizeStores([folder])).problems).toEqual([
      'messages[0]: expected a message, got null',
      'no step in the run a1',
    ]);
  });
});

describe('a task of Cline', () => {
  const conversation = [
    { role: 'assistant', content: [{ type: 'text', text: '<read_file>\n<path>a</path>\n</read_file>' }] },
    { role: 'user', content: [{ type: 'text', text: "[read_file for 'a'] Result:\nb" }] },
  ];
  const request = { tokensIn: 90, tokensOut: 12 };
  const uiMessages = [{ ts: 1, type: 'say', say: 'api_req_started', text: JSON.stringify(request) }];

  it('is named after its folder, and has the usage of the user interface', async () => {
    const path = await writeJson('tasks/1758/api_conversation_history.json', conversation);
    await writeJson('tasks/1758/ui_messages.json', uiMessages);
    await writeJson('tasks/1758/task_metadata.json', { files_in_context: [] });
    expect(await summarizeStores([folder])).toEqual({ runs: ['1758: 1'], problems: [] });
    expect(await collectRuns(path)).toMatchObject([{ steps: [{ tokens: 12, inputTokens: 90 }] }]);
  });

  it('is read without the messages of the user interface too', async () => {
    await writeJson('tasks/1758/api_conversation_history.json', conversation);
    expect(await summarizeStores([folder])).toEqual({ runs: ['1758: 1'], problems: [] });
    await writeJson('tasks/1758/ui_messages.json', '[');
    expect(await summarizeStores([folder])).toEqual({
      runs: ['1758: 1'],
      problems: [expect.stringMatching(/^invalid JSON: /)],
    });
  });
});

describe('what agents write beside their sessions', () => {
  it('is no problem in a folder', async () => {
    await writeJson('gemini/logs.json', [{ sessionId: 's', messageId: 0, type: 'user', message: 'Hello' }]);
    await writeJson('continue/sessions.json', [{ sessionId: 's', title: 'x' }]);
    await writeJson('cline/42/42.json', { session_id: '42' });
    await writeJson('run.json', { id: 'run', steps: [{ role: 'user', text: 'a' }] });
    expect(await summarizeStores([folder])).toEqual({ runs: ['run: 1'], problems: [] });
  });

  it('is reported where it was named', async () => {
    const path = await writeJson('logs.json', [{ sessionId: 's' }]);
    expect((await summarizeStores([path])).problems).toEqual([expect.stringMatching(/^no known format/)]);
  });
});
