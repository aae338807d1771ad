import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { toJsonLines, parsePipeAnswer } from '../fixtures/run-pipe-input.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');
const hello = { type: 'user-message', at: 1, text: 'Hello' };
const done = { type: 'model-replied', at: 2, text: 'Hello yourself.', calls: [] };

function startPipeProcess(...args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [bin, 'pipe', ...args], { stdio: 'pipe' });
}

async function runPipeProcess(
  input: string,
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const child = startPipeProcess(...args);
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, out, err };
}

describe('pawl pipe as a separate process', () => {
  it('answers each line before the next is written, and exits on shutdown', async () => {
    const child = startPipeProcess('--state', 'status');
    const exit = once(child, 'exit');
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    for (const [event, state] of [
      [hello, 'callingModel'],
      [done, 'waitingForUser'],
      [{ type: 'shutdown-requested' }, 'shuttingDown'],
    ] as const) {
      child.stdin.write(toJsonLines(event));
      const { value } = await answers.next();
      expect(parsePipeAnswer(String(value))).toMatchObject({ ok: true, state });
    }
    // Standard input is still open here, so the shutdown ends the process.
    expect(await exit).toEqual([0, null]);
  });

  it('exits with 1 if a line was invalid', async () => {
    expect(await runPipeProcess(toJsonLines(hello, done))).toMatchObject({ code: 0, err: '' });
    expect(await runPipeProcess(`${toJsonLines(hello)}nonsense\n${toJsonLines(done)}`)).toMatchObject({
      code: 1,
      err: '',
    });
    expect(await runPipeProcess('')).toEqual({ code: 0, out: '', err: '' });
  });

  it('answers ten thousand buffered lines in order', async () => {
    const count = 10_000;
    const turns = Array.from({ length: count / 2 }, (_, index) =>
      toJsonLines(hello, { ...done, request: 2 * index + 1 }),
    );
    const deltas = Array.from({ length: count }, (_, at) =>
      toJsonLines({ type: 'text-delta', at, text: `${at}` }),
    );
    const short = await runPipeProcess(turns.slice(0, 50).join(''), '--state', 'status');
    expect(
      short.out
        .trimEnd()
        .split('\n')
        .map((line) => parsePipeAnswer(line).seq),
    ).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    const long = await runPipeProcess(toJsonLines(hello) + deltas.join(''), '--state', 'status');
    const shown = long.out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => parsePipeAnswer(line).actions?.[0]?.['text']);
    expect(shown).toEqual(Array.from({ length: count }, (_, at) => `${at}`));
    expect(long.code).toBe(0);
  });

  it('exits quietly when the reader closes the pipe', async () => {
    const child = startPipeProcess();
    const [err, closed] = [text(child.stderr), once(child, 'close')];
    child.stdin.on('error', () => undefined);
    Readable.from(generateEndlessLines()).pipe(child.stdin);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await closed).toEqual([0, null]);
    expect(await err).toBe('');
  });

  it('prints a JSON Schema and exits without reading input', async () => {
    const child = startPipeProcess('--schema');
    const [out, closed] = [text(child.stdout), once(child, 'exit')];
    expect(await closed).toEqual([0, null]);
    expect(JSON.parse(await out)).toHaveProperty('$defs.Event');
  });

  it('reports an unknown profile in one line', async () => {
    const { code, out, err } = await runPipeProcess('', '--profile', 'lom');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      'pawl: Unknown profile "lom". Did you mean loom? Available: pawl, loom, nexora, savant, lkj, lkj1.\n',
    );
  });
});

function* generateEndlessLines(): Generator<string> {
  for (;;) yield toJsonLines(hello);
}
