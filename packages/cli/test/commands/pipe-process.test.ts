import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { lines, readAnswer } from '../fixtures/piped.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');
const hello = { type: 'user-message', at: 1, text: 'Hello' };
const done = { type: 'model-replied', at: 2, text: 'Hello yourself.', calls: [] };

function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [bin, 'pipe', ...args], { stdio: 'pipe' });
}

async function run(
  input: string,
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const child = start(...args);
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, out, err };
}

describe('pawl pipe as a process of its own', () => {
  it('answers each line before the next is written, and ends when it is told to', async () => {
    const child = start('--state', 'status');
    const exit = once(child, 'exit');
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    for (const [event, state] of [
      [hello, 'callingModel'],
      [done, 'waitingForUser'],
      [{ type: 'shutdown-requested' }, 'shuttingDown'],
    ] as const) {
      child.stdin.write(lines(event));
      const { value } = await answers.next();
      expect(readAnswer(String(value))).toMatchObject({ ok: true, state });
    }
    // Standard input is still open here: it is the shutdown that ends the process.
    expect(await exit).toEqual([0, null]);
  });

  it('says with its exit code whether every line was good', async () => {
    expect(await run(lines(hello, done))).toMatchObject({ code: 0, err: '' });
    expect(await run(`${lines(hello)}nonsense\n${lines(done)}`)).toMatchObject({ code: 1, err: '' });
    expect(await run('')).toEqual({ code: 0, out: '', err: '' });
  });

  it('answers ten thousand lines that are all there at once, in order', async () => {
    const count = 10_000;
    const turns = Array.from({ length: count / 2 }, (_, index) =>
      lines(hello, { ...done, request: 2 * index + 1 }),
    );
    const deltas = Array.from({ length: count }, (_, at) => lines({ type: 'text-delta', at, text: `${at}` }));
    const short = await run(turns.slice(0, 50).join(''), '--state', 'status');
    expect(
      short.out
        .trimEnd()
        .split('\n')
        .map((line) => readAnswer(line).seq),
    ).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    const long = await run(lines(hello) + deltas.join(''), '--state', 'status');
    const shown = long.out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => readAnswer(line).actions?.[0]?.['text']);
    expect(shown).toEqual(Array.from({ length: count }, (_, at) => `${at}`));
    expect(long.code).toBe(0);
  });

  it('ends quietly when its reader has seen enough', async () => {
    const child = start();
    const [err, closed] = [text(child.stderr), once(child, 'close')];
    child.stdin.on('error', () => undefined);
    Readable.from(endless()).pipe(child.stdin);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await closed).toEqual([0, null]);
    expect(await err).toBe('');
  });

  it('prints a JSON Schema and leaves without reading', async () => {
    const child = start('--schema');
    const [out, closed] = [text(child.stdout), once(child, 'exit')];
    expect(await closed).toEqual([0, null]);
    expect(JSON.parse(await out)).toHaveProperty('$defs.Event');
  });

  it('says in one line that there is no such profile', async () => {
    const { code, out, err } = await run('', '--profile', 'lom');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      'pawl: There is no profile "lom". Did you mean loom? There are: pawl, loom, nexora, savant, lkj, lkj1.\n',
    );
  });
});

function* endless(): Generator<string> {
  for (;;) yield lines(hello);
}
