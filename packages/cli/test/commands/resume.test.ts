import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteStore } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resume } from '../../src/commands/resume.ts';
import { run, type RunOptions } from '../../src/commands/run.ts';
import { atTerminal, captureIo } from '../captured-io.ts';
import { startOpenAiServer, type OpenAiServer, type Say } from '../openai-server.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');

let folder = '';
let server: OpenAiServer;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-resume-'));
  await writeFile(join(folder, 'plan.md'), 'one\n');
  server = await startOpenAiServer();
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const store = (): string => join(folder, 'kept', 'sessions.db');
const ledger = (): string =>
  existsSync(join(folder, 'ledger')) ? readFileSync(join(folder, 'ledger'), 'utf8') : '';

/** Whether what a command wrote has arrived. */
function hasHeard(): boolean {
  const spool = join(folder, 'kept', 'spool');
  return (
    existsSync(spool) &&
    readdirSync(spool, { recursive: true }).some((name) => String(name).endsWith('.output'))
  );
}

function script(...says: readonly Say[]): void {
  server.says = (request) => says[request - 1] ?? 'Nothing is left to say.';
}

function options(more: Partial<RunOptions> = {}): RunOptions {
  return {
    dir: folder,
    store: store(),
    model: 'openai-compatible:m',
    baseUrl: server.url,
    mode: 'full-auto',
    ...more,
  };
}

/** A real process, which can really be killed. */
function pawl(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [bin, ...args, '--store', store(), '--dir', folder], { cwd: folder });
  children.push(child);
  return child;
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 20) {
    if (waited > 20_000) throw new Error('It never came.');
    await sleep(20);
  }
}

async function resumed(
  message: string | null = null,
  more: object = {},
  captured = captureIo(),
): Promise<{ code: number; out: string; err: string }> {
  const code = await resume('last', message, { dir: folder, store: store(), ...more }, captured.io);
  return { code, out: captured.out(), err: captured.err() };
}

/** What the model was told about its calls, in the last request. */
function lastResults(): readonly string[] {
  const messages = server.asked.at(-1)?.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

const model = (): string[] => [
  '--model',
  'openai-compatible:m',
  '--base-url',
  server.url,
  '--mode',
  'full-auto',
];
const slow = 'echo start >> ledger; echo half of it; sleep 60; echo end >> ledger';

describe('pawl resume', () => {
  it('goes on after kill -9 in the middle of a command, which is not run again, and of which the model is told', async () => {
    script({ tool: 'shell', args: { command: slow } }, 'It was cut off; I leave it.');
    const child = pawl('run', ...model(), 'Do it.');
    await until(() => ledger() === 'start\n' && hasHeard());
    child.kill('SIGKILL');
    await until(() => child.signalCode !== null);
    const { code, out } = await resumed();
    expect(code).toBe(0);
    expect(out).toContain('It was cut off; I leave it.');
    expect(ledger()).toBe('start\n');
    expect(lastResults()).toHaveLength(1);
    expect(lastResults()[0]).toContain('it may have run fully, partly or not at all');
    expect(lastResults()[0]).toContain('half of it');
  });

  it('goes on after Ctrl-C, and says how', async () => {
    script({ tool: 'shell', args: { command: slow } }, 'Done without it.');
    const child = pawl('run', ...model(), 'Do it.');
    const err = child.stderr === null ? Promise.resolve('') : text(child.stderr);
    await until(() => ledger() === 'start\n');
    child.kill('SIGINT');
    const hint = /Go on with: pawl resume ([\da-f]{8})/.exec(await err);
    expect(hint).not.toBeNull();
    await until(() => child.exitCode !== null);
    expect(child.exitCode).toBe(130);
    const captured = captureIo();
    expect(await resume(hint?.[1] ?? '', null, { dir: folder, store: store() }, captured.io)).toBe(0);
    expect(captured.out()).toContain('Done without it.');
    expect(lastResults()[0]).toContain('called off');
    expect(ledger()).toBe('start\n');
  });

  it('asks again what was asked when the process ended, and runs what is then allowed', async () => {
    script({ tool: 'write', args: { path: 'plan.md', content: 'two\n' } }, 'Written.');
    const interrupt = new AbortController();
    const captured = atTerminal('');
    const { stderr } = captured.io;
    const write = stderr.write.bind(stderr);
    // Nobody answers: the terminal is closed instead.
    Object.assign(stderr, {
      write(said: string): boolean {
        if (said.includes('Run it?')) interrupt.abort();
        return write(said);
      },
    });
    const asked = options({ mode: 'ask', signal: interrupt.signal });
    expect(await run('Write it.', asked, captured.io)).toBe(130);
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('one\n');
    const { code, out } = await resumed(null, {}, atTerminal('y'));
    expect(code).toBe(0);
    expect(out).toContain('Written.');
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('two\n');
  });

  it('says something in a session that waits, with all that was said before', async () => {
    script('The plan says one.', 'It still does.');
    await run('What does the plan say?', options(), captureIo().io);
    const waits = await resumed();
    expect(waits).toMatchObject({ code: 0, out: 'The plan says one.\n' });
    expect(waits.err).toMatch(/waits for you: pawl resume [\da-f]{8} "/);
    expect(server.asked).toHaveLength(1);
    const { code, out } = await resumed('And now?');
    expect(code).toBe(0);
    expect(out).toContain('It still does.');
    const said = server.asked.at(-1)?.messages.filter(({ role }) => role === 'user') ?? [];
    expect(JSON.stringify(said)).toContain('What does the plan say?');
    expect(JSON.stringify(said)).toContain('And now?');
  });

  it('leaves a session alone that runs elsewhere, says who runs it, and takes it over only when told to', async () => {
    script({ tool: 'shell', args: { command: slow } }, 'Mine now.');
    const child = pawl('run', ...model(), 'Do it.');
    const err = child.stderr === null ? Promise.resolve('') : text(child.stderr);
    await until(() => ledger() === 'start\n');
    await expect(resumed()).rejects.toThrow(new RegExp(`is running now .*pid=${child.pid} .*--take-over`));
    const { code, out } = await resumed(null, { takeOver: true });
    expect(code).toBe(0);
    expect(out).toContain('Mine now.');
    expect(ledger()).toBe('start\n');
    expect(await err).toContain('Someone else holds the session');
  });

  it('does not act on a database that came with a folder, until it is told to', async () => {
    script('One.', 'Two.');
    await run('Go.', options(), captureIo().io);
    const copy = join(folder, 'copy.db');
    await writeFile(copy, readFileSync(store()));
    const there = { store: copy };
    await expect(resumed('Go on.', there)).rejects.toThrow(/was not made by you .*--trust-store/);
    expect(server.asked).toHaveLength(1);
    expect((await resumed('Go on.', { ...there, trustStore: true })).code).toBe(0);
    expect((await resumed('Go on.', there)).code).toBe(0);
  });

  it('says in one line what cannot be gone on with', async () => {
    await expect(resumed()).rejects.toThrow(/No session has worked in/);
    appendFileSync(
      join(folder, 'broken.db'),
      'this is no database, but it is long enough to be taken for one',
    );
    await expect(resumed(null, { store: join(folder, 'broken.db') })).rejects.toThrow(/broken\.db/);
    await expect(resumed(null, { store: 'https://example.com' })).rejects.toThrow(
      /not a place to keep sessions/,
    );
  });

  it('keeps nothing with --store none, and says nothing of resuming', async () => {
    script('One.');
    expect(await run('Go.', options({ store: 'none' }), captureIo().io)).toBe(0);
    expect(existsSync(store())).toBe(false);
  });

  it('keeps sessions in .pawl with --store workspace, out of reach of others and of git', async () => {
    script('One.');
    expect(await run('Go.', options({ store: 'workspace' }), captureIo().io)).toBe(0);
    expect(readFileSync(join(folder, '.pawl', '.gitignore'), 'utf8')).toBe('*\n');
    const kept = openSqliteStore(join(folder, '.pawl', 'sessions.db'));
    expect(await kept.list()).toMatchObject([
      { goal: 'Go.', about: { model: 'openai-compatible:m', mode: 'full-auto' } },
    ]);
    await kept.close();
  });
});
