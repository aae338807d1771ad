import { PassThrough, Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildEventsJsonSchema } from '@pawl/runtime/schema';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInputLines } from '../../src/commands/pipe/answer.ts';
import { runPipe } from '../../src/commands/pipe/action.ts';
import { toJsonLines, runPipeInput, parsePipeAnswer } from '../fixtures/run-pipe-input.ts';

const hello = '{"type":"user-message","at":1,"text":"Grüße, 世界 🌍"}';
const bom = Buffer.from([0xef, 0xbb, 0xbf]);
const status = { state: 'status' };

function createReplyLine(args: string): string {
  return `{"type":"model-replied","text":"","calls":[{"tool":"a","args":${args}}]}`;
}

async function readFirstLine(text: string): Promise<unknown> {
  const { value } = await readInputLines(Readable.from([Buffer.from(text)]), 10).next();
  return value;
}

/** Collects garbage, which is the only way to tell what is held from what is not collected yet. */
async function countReachable(objects: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage: unknown = runInNewContext('gc');
  // A weak reference keeps its target until the current job has ended.
  await nextTurn();
  if (typeof collectGarbage === 'function') collectGarbage();
  return objects.filter((object) => object.deref() !== undefined).length;
}

function isBlankInput(bytes: Uint8Array): boolean {
  return /^\uFEFF?[\t\r ]*$/.test(Buffer.from(bytes).toString());
}

describe('a valid input line', () => {
  it.each<[string, Buffer]>([
    ['ends in a line break', Buffer.from(`${hello}\n`)],
    ['ends in a line break of Windows', Buffer.from(`${hello}\r\n`)],
    ['ends where the input ends', Buffer.from(hello)],
    ['begins with a byte order mark', Buffer.concat([bom, Buffer.from(`${hello}\n`)])],
    ['has blank lines around it', Buffer.from(`\n \t\r\n\r\n${hello}\n\n  \n`)],
    ['has spaces around it', Buffer.from(`  ${hello}\t \n`)],
  ])('%s', async (_, input) => {
    const { code, answers } = await runPipeInput(input);
    expect(code).toBe(0);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ actions: [{ messages: [{ text: 'Grüße, 世界 🌍' }] }] });
  });

  it('may arrive in any number of chunks, split anywhere', async () => {
    const input = Buffer.from(`${hello}\nnonsense\n\n${hello}\r\n${hello}`);
    const whole = await runPipeInput(input, status);
    const cuts = fc.uniqueArray(fc.nat(input.length), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const ends = [...places.toSorted((a, b) => a - b), input.length];
        const chunks = ends.map((end, index) => input.subarray(ends[index - 1] ?? 0, end));
        expect(await runPipeInput(chunks, status)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
    const bytes = Array.from(input, (byte) => Buffer.from([byte]));
    expect(await runPipeInput(bytes, status)).toEqual(whole);
  });
});

describe('an invalid input line', () => {
  it.each<[string, string | Buffer, string]>([
    ['not JSON', 'hello', `not JSON: Unexpected token 'h', "hello" is not valid JSON`],
    ['JSON cut short', '{"type":', 'not JSON: Unexpected end of JSON input'],
    ['two objects', '{} {}', 'not JSON: Unexpected non-whitespace character after JSON at position 3'],
    ['no object', '[]', 'an event is an object with a "type"; got an array'],
    ['an empty object', '{}', '"type" is missing; expected an event type such as "user-message"'],
    [
      'no known event',
      '{"type":"toolFinished"}',
      'unknown event type "toolFinished"; did you mean "tool-finished"?',
    ],
    [
      'no such key',
      '{"type":"retry-due","x":1}',
      'retry-due: unknown key "x"; the keys are type, at, request',
    ],
    ['no time', '{"type":"retry-due","at":null}', 'retry-due: at: expected a number, got null'],
    ['an endless time', '{"type":"retry-due","at":1e999}', 'retry-due: at: expected a number, got Infinity'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'not UTF-8'],
    ['half a letter', Buffer.from('"ü').subarray(0, 2), 'not UTF-8'],
  ])('is answered with the problem, and the stream continues: %s', async (_, bad, error) => {
    const input = Buffer.concat([Buffer.from(`${hello}\n\n`), Buffer.from(bad), Buffer.from(`\n${hello}\n`)]);
    const { code, answers } = await runPipeInput(input, status);
    expect(code).toBe(1);
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(answers[1]).toEqual({ ok: false, line: 3, error });
  });

  it.each([
    ['open', '['.repeat(1_000_000), /^not JSON: /],
    ['closed', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, /got an array$/],
    [
      'in a payload',
      createReplyLine(`${'['.repeat(500_000)}${']'.repeat(500_000)}`),
      /args: nested too deeply/,
    ],
    [
      'in a text',
      `{"type":"user-message","text":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`,
      /text: /,
    ],
  ])('may be a megabyte of nothing but nesting: %s', async (_, bad, error) => {
    const { answers } = await runPipeInput(`${bad}\n${hello}\n`, status);
    expect(answers[0]?.error).toMatch(error);
    expect(answers[1]?.ok).toBe(true);
  });

  it('is skipped without buffering if it is too long', async () => {
    const megabytes = 400;
    const chunkBytes = 1024 * 1024;
    const chunks: WeakRef<ArrayBufferLike>[] = [];
    const reachable: number[] = [];
    async function* input(): AsyncGenerator<Buffer> {
      for (let count = 1; count <= megabytes; count += 1) {
        const chunk = Buffer.alloc(chunkBytes, 'x');
        chunks.push(new WeakRef(chunk.buffer));
        yield chunk;
        if (count % 100 === 0) reachable.push(await countReachable(chunks));
      }
      yield Buffer.from(`\n${hello}\n`);
    }
    const read = [];
    for await (const line of readInputLines(Readable.from(input()))) read.push(line);
    expect(read).toEqual([
      { number: 1, error: `too long: ${megabytes * chunkBytes} bytes; the maximum is 16777216` },
      { number: 2, text: hello },
    ]);
    // A line within the limit may be held: its 16 chunks, and what the stream buffers.
    expect(reachable).toHaveLength(4);
    expect(Math.max(...reachable)).toBeLessThan(40);
  });

  it('is one byte over the limit', async () => {
    expect(await readFirstLine('1234567890\n')).toEqual({ number: 1, text: '1234567890' });
    expect(await readFirstLine('1234567890')).toEqual({ number: 1, text: '1234567890' });
    expect(await readFirstLine('12345678901\n')).toMatchObject({
      error: 'too long: 11 bytes; the maximum is 10',
    });
    expect(await readFirstLine('12345678901')).toMatchObject({
      error: 'too long: 11 bytes; the maximum is 10',
    });
  });
});

describe('for any input', () => {
  const examples = Object.values(buildEventsJsonSchema().$defs)
    .flatMap((definition) => (definition['examples'] ?? []) as readonly { readonly type: string }[])
    .filter(({ type }) => type !== 'shutdown-requested');
  const event = fc.constantFrom(...examples).map((example) => JSON.stringify(example));
  const changed = fc
    .tuple(fc.constantFrom(...examples), fc.string(), fc.jsonValue())
    .map(([example, key, value]) => JSON.stringify({ ...example, [key]: value }));
  const line = fc
    .oneof(
      event,
      changed,
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', ' ', '\t\r', '{', '"', 'null', '{"type":"__proto__"}'),
      fc.uint8Array(),
    )
    .map((each) => Buffer.from(each).filter((byte) => byte !== 0x0a));

  it('there is one answer per non-blank line, and it tells valid from invalid', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (all) => {
        const { code, answers } = await runPipeInput(
          all.flatMap((bytes) => [Buffer.from(bytes), Buffer.from('\n')]),
        );
        const filled = all.flatMap((bytes, index) => (isBlankInput(bytes) ? [] : [index + 1]));
        expect(answers).toHaveLength(filled.length);
        answers.forEach((answer, index) => {
          if (!answer.ok) expect(answer.line).toBe(filled[index]);
        });
        expect(code).toBe(answers.every(({ ok }) => ok) ? 0 : 1);
      }),
      { numRuns: 200 },
    );
  });
});

describe('flow control', () => {
  it('follows the reader: at most a buffer of answers is pending', async () => {
    const count = 2_000;
    let most = 0;
    const read: string[] = [];
    const stdout = new Writable({
      highWaterMark: 4_096,
      write(chunk: Buffer, _encoding, done) {
        most = Math.max(most, this.writableLength);
        read.push(chunk.toString());
        setImmediate(done);
      },
    });
    const stdin = Readable.from([Buffer.from(`${hello}\n`.repeat(count))]);
    await runPipe({ profile: 'pawl', state: 'status' }, { stdin, stdout, stderr: new PassThrough() });
    await finished(stdout.end());
    expect(read).toHaveLength(count);
    const longest = Math.max(...read.map(({ length }) => length));
    expect(most).toBeLessThan(4_096 + 2 * longest);
  });

  it('follows the writer: each answer arrives before the next line is written', async () => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const ended = runPipe({ profile: 'pawl', state: 'status' }, { stdin, stdout, stderr: new PassThrough() });
    const out = stdout[Symbol.asyncIterator]();
    for (let seq = 1; seq <= 20; seq += 1) {
      const [type, rest] = seq % 2 === 1 ? ['user-message', {}] : ['model-replied', { calls: [] }];
      stdin.write(toJsonLines({ type, text: 'Hello', ...rest }));
      const next: IteratorResult<Buffer> = await out.next();
      expect(parsePipeAnswer(String(next.value))).toMatchObject({ ok: true, seq });
    }
    stdin.end();
    expect(await ended).toBe(0);
  });
});
