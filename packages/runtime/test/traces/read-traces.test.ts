import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '@pawl/core';
import {
  clineSample,
  continueSample,
  copilotCliSample,
  cursorTranscriptSample,
  geminiCliSample,
  opencodeSample,
  qwenCodeSample,
} from '../../../governor/test/traces/agent-samples.ts';
import {
  normalizedSample,
  openhandsSdkSample,
  pawlLinesSample,
  sweAgentSample,
} from '../../../governor/test/traces/benchmark-samples.ts';
import { inspectAiSample, moatlessSample } from '../../../governor/test/traces/framework-samples.ts';
import { claudeCodeSample, codexSample, openaiChatSample } from '../../../governor/test/traces/samples.ts';
import { cochiseSample, sentinelSample } from '../../../governor/test/traces/study-samples.ts';
import { readTraces, type ReadTracesOptions } from '../../src/traces/read-traces.ts';
import type { TraceItem } from '../../src/traces/trace-item.ts';
import { TraceSourceError } from '../../src/traces/trace-sources.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-traces-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function writeTraceFile(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

/** The ids of the runs, and the problems as `line: message` with the file's name left out. */
async function summarizeTraces(
  paths: readonly string[],
  options: ReadTracesOptions = {},
): Promise<{ readonly runs: readonly string[]; readonly problems: readonly string[] }> {
  const [runs, problems]: [string[], string[]] = [[], []];
  for await (const item of readTraces(paths, options)) {
    if ('run' in item) runs.push(item.run.id);
    else problems.push(`${item.problem.line ?? 'all'}: ${item.problem.message}`);
  }
  return { runs, problems };
}

function formatSpanRequest(tool: string): string {
  const attributes = [{ key: 'gen_ai.tool.name', value: { stringValue: tool } }];
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 't', attributes }] }] }] });
}

async function collectTraceItems(path: string): Promise<readonly TraceItem[]> {
  const items: TraceItem[] = [];
  for await (const item of readTraces([path])) items.push(item);
  return items;
}

const formatRun = (id: string): string =>
  JSON.stringify({ id, steps: [{ i: 0, role: 'assistant', text: 'a' }] });
const formatMessageLine = (content: string): string => JSON.stringify({ role: 'assistant', content });

describe('a file of runs', () => {
  it('is read line by line', async () => {
    const path = await writeTraceFile(
      'runs.jsonl',
      `${formatRun('a')}\n\n${formatRun('b')}\r\n${formatRun('c')}`,
    );
    expect(await summarizeTraces([path])).toEqual({ runs: ['a', 'b', 'c'], problems: [] });
  });

  it('yields a run before the file has ended', async () => {
    const stdin = new Readable({ read: () => undefined });
    stdin.push(`${formatRun('a')}\n${formatRun('b')}\n`);
    const items = readTraces(['-'], { stdin });
    expect(await items.next()).toMatchObject({ value: { run: { id: 'a' } } });
    stdin.push(`${formatRun('c')}\n`);
    stdin.push(null);
    expect(await items.next()).toMatchObject({ value: { run: { id: 'b' } } });
    expect(await items.next()).toMatchObject({ value: { run: { id: 'c' } } });
  });

  it('is decompressed if it is gzip, whatever its name', async () => {
    const packed = gzipSync(`${formatRun('a')}\n${formatRun('b')}`);
    const path = await writeTraceFile('runs.jsonl', Buffer.concat([packed, gzipSync(`\n${formatRun('c')}`)]));
    expect(await summarizeTraces([path])).toEqual({ runs: ['a', 'b', 'c'], problems: [] });
  });

  it('that ends early during decompression is used up to that point', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => formatRun(String(index * 7919))).join('\n');
    const packed = gzipSync(lines);
    const { runs, problems } = await summarizeTraces([
      await writeTraceFile('runs.gz', packed.subarray(0, packed.length / 2)),
    ]);
    expect(runs.length).toBeGreaterThan(100);
    expect(problems.at(-1)).toBe('all: reading failed: unexpected end of file');
  });

  it('is read past a broken line, which is reported with its number', async () => {
    const path = await writeTraceFile(
      'runs.jsonl',
      [formatRun('a'), '{"id": "b', '7', '{"x":1}', formatRun('e')].join('\n'),
    );
    const { runs, problems } = await summarizeTraces([path]);
    expect(runs).toEqual(['a', 'e']);
    expect(problems).toEqual([
      expect.stringMatching(/^2: invalid JSON: /),
      '3: expected an object on each line',
      '4: no run of a known format',
    ]);
  });

  it('may start with a broken line', async () => {
    const long = `{"id":"a","steps":[${'{"i":0,"role":"user"},'.repeat(20)}`;
    for (const broken of ['{"id": "b', '{"id":"b",', long, 'not json at all']) {
      const { runs, problems } = await summarizeTraces([
        await writeTraceFile('runs.jsonl', `${broken}\n${formatRun('c')}\n${formatRun('d')}`),
      ]);
      expect(runs).toEqual(['c', 'd']);
      expect(problems).toEqual([expect.stringMatching(/^1: invalid JSON: /)]);
    }
  });

  it('may contain runs of many formats and lists of them', async () => {
    const chat = JSON.stringify({ messages: [{ role: 'user', content: 'a' }] });
    const path = await writeTraceFile(
      'runs.jsonl',
      [formatRun('a'), chat, `[${formatMessageLine('x')}]`, `[${formatRun('d')},${formatRun('e')}]`].join(
        '\n',
      ),
    );
    expect(await summarizeTraces([path])).toEqual({
      runs: ['a', 'runs#2', 'runs#3', 'd', 'e'],
      problems: [],
    });
  });

  it('has a line over the limit skipped', async () => {
    const path = await writeTraceFile(
      'runs.jsonl',
      [formatRun('a'), formatRun('b'.repeat(5_000)), formatRun('c')].join('\n'),
    );
    const { runs, problems } = await summarizeTraces([path], { limits: { heldBytes: 1_000 } });
    expect(runs).toEqual(['a', 'c']);
    expect(problems).toEqual([expect.stringMatching(/^2: too long: /)]);
  });

  it('has invalid UTF-8 skipped and a byte order mark removed', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`\ufeff${formatRun('a')}\n`),
      Buffer.from([0x22, 0xff, 0xfe, 0x0a]),
      Buffer.from(formatRun('c')),
    ]);
    expect(await summarizeTraces([await writeTraceFile('runs.jsonl', bytes)])).toEqual({
      runs: ['a', 'c'],
      problems: ['2: not UTF-8'],
    });
  });

  it('with any number of lines is buffered one line at a time', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => formatRun(`run ${index}`)).join('\n');
    const { runs, problems } = await summarizeTraces([await writeTraceFile('runs.jsonl', lines)], {
      limits: { heldBytes: 200 },
    });
    expect([runs.length, problems]).toEqual([300, []]);
  });
});

describe('a file that is one run', () => {
  it('may be a document over many lines, named after the file', async () => {
    const document = JSON.stringify({ messages: [{ role: 'user', content: 'a' }] }, null, 2);
    expect(await summarizeTraces([await writeTraceFile('talk.traj.json', document)])).toEqual({
      runs: ['talk'],
      problems: [],
    });
    expect(
      await summarizeTraces([await writeTraceFile('line.json', JSON.stringify(JSON.parse(document)))]),
    ).toEqual({
      runs: ['line'],
      problems: [],
    });
  });

  it('may be lines that form a run only together, after unrelated ones', async () => {
    const lines = [
      { type: 'summary', summary: 'x' },
      { type: 'user', sessionId: 's', uuid: 'a', message: { role: 'user', content: 'hello' } },
      { type: 'assistant', sessionId: 's', uuid: 'b', message: 5 },
      { type: 'assistant', sessionId: 's', uuid: 'c', message: { role: 'assistant', content: 'hi' } },
    ];
    const path = await writeTraceFile('session.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(await summarizeTraces([path])).toEqual({
      runs: ['s'],
      problems: ['3: expected a message, got a number'],
    });
  });

  it('may be one message per line, in a format that only a later line reveals', async () => {
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] };
    const path = await writeTraceFile(
      'talk.jsonl',
      [formatMessageLine('a'), JSON.stringify(call)].join('\n'),
    );
    const items = await collectTraceItems(path);
    expect(items).toMatchObject([{ run: { source: 'anthropic', steps: [{ text: 'a' }, { tool: 'f' }] } }]);
  });

  it('may be spans spread over lines', async () => {
    const items = await collectTraceItems(
      await writeTraceFile('spans.jsonl', `${formatSpanRequest('a')}\n${formatSpanRequest('b')}`),
    );
    expect(items).toMatchObject([{ run: { id: 't', steps: [{ tool: 'a' }, { tool: 'b' }] } }]);
  });

  it('is rejected with a message when it exceeds the buffer limit', async () => {
    const lines = Array.from({ length: 50 }, () => formatMessageLine('x'.repeat(50)));
    const limits = { heldBytes: 2_000 };
    const path = await writeTraceFile('talk.jsonl', lines.join('\n'));
    expect(await summarizeTraces([path], { limits })).toEqual({
      runs: [],
      problems: [expect.stringMatching(/one run over many lines exceeds 0 MB/)],
    });
    const document = await writeTraceFile('talk.json', `[\n${lines.join(',\n')}\n]`);
    expect(await summarizeTraces([document], { limits })).toEqual({
      runs: [],
      problems: [expect.stringMatching(/one JSON document exceeds 0 MB/)],
    });
  });

  it('that is cut off is reported once', async () => {
    const path = await writeTraceFile('talk.json', '{\n  "messages": [\n    {\n      "role": "user",\n');
    const { runs, problems } = await summarizeTraces([path]);
    expect(runs).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^1: invalid JSON: .*incomplete$/)]);
  });

  it.each([
    ['', /^all: it is empty$/],
    ['name,age\nx,1\n', /^1: it is neither JSON/],
    ['{"a":1}', /^1: no known format; looked for resourceSpans/],
    ['{\n"a":1\n}', /^all: no known format; looked for resourceSpans/],
    ['{"a":1}\n'.repeat(500), /^1: no known format; looked for resourceSpans/],
  ])('and contains %j is reported in one line', async (content, expected) => {
    const { runs, problems } = await summarizeTraces([await writeTraceFile('other.json', content)]);
    expect(runs).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(expected)]);
  });

  it('is harmless at any nesting depth and with any field names', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const step = `{"role":"assistant","tool":"f","args":${deep},"__proto__":{"polluted":true}}`;
    const path = await writeTraceFile(
      'deep.jsonl',
      `{"id":"a","__proto__":{"id":"b"},"steps":[${step}]}\n${deep}\n`,
    );
    const { runs, problems } = await summarizeTraces([path]);
    expect(runs).toEqual(['a']);
    expect(problems).toEqual(['2: no run of a known format']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

const listSteps = (items: readonly TraceItem[]): readonly unknown[] =>
  items.flatMap((item) => ('run' in item ? [item.run.steps] : []));

describe('a file that is still being written', () => {
  const lines: readonly (readonly [format: string, sample: Json])[] = [
    ['claude-code', claudeCodeSample],
    ['codex', codexSample],
    ['copilot-cli', copilotCliSample],
    ['cursor', cursorTranscriptSample],
    ['gemini-cli', geminiCliSample],
    ['qwen-code', qwenCodeSample],
    ['cochise', cochiseSample],
    ['sentinel', sentinelSample],
    ['openhands', openhandsSdkSample],
    ['pawl', pawlLinesSample],
    ['normalized', [normalizedSample, normalizedSample]],
  ];

  it.each(lines)('is read up to its last complete line, for %s', async (_, sample) => {
    const records = (sample as readonly Json[]).map((record) => JSON.stringify(record));
    const whole = records.slice(0, -1);
    const complete = await collectTraceItems(await writeTraceFile('whole.jsonl', `${whole.join('\n')}\n`));
    const cut = records.at(-1)?.slice(0, -9) ?? '';
    const path = await writeTraceFile('cut.jsonl', `${whole.join('\n')}\n${cut}`);
    const items = await collectTraceItems(path);
    expect(listSteps(items)).toEqual(listSteps(complete));
    expect(listSteps(items)).not.toEqual([]);
    expect(items.filter((item) => 'problem' in item)).toContainEqual({
      problem: {
        file: path,
        line: records.length,
        message:
          'the last line is incomplete, as in a file that is still being written; the file was read up to there',
      },
    });
    for (const item of items) if ('run' in item) expect(item.run).not.toHaveProperty('incomplete');
  });

  it.each([
    ['opencode', opencodeSample],
    ['cline', clineSample],
    ['continue', continueSample],
    ['swe-agent', sweAgentSample],
    ['inspect-ai', inspectAiSample],
    ['moatless', moatlessSample],
    ['openai-chat', openaiChatSample],
  ] as const)('is an error if it is one document, for %s', async (_, sample) => {
    const text = JSON.stringify(sample, null, 2);
    const path = await writeTraceFile('cut.json', text.slice(0, text.length - 40));
    const { runs, problems } = await summarizeTraces([path]);
    expect(runs).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(/^1: invalid JSON: the multi-line document is incomplete/),
    ]);
  });
});

describe('a folder', () => {
  it('is read recursively in name order', async () => {
    await writeTraceFile('b.jsonl', formatRun('b'));
    await writeTraceFile('a/z.json', JSON.stringify({ messages: [{ role: 'user', content: 'a' }] }));
    await writeTraceFile('a.txt', formatRun('a'));
    expect(await summarizeTraces([folder])).toEqual({ runs: ['a', 'b', 'a/z'], problems: [] });
  });

  it('may contain other files, of which only those that look like traces are reported', async () => {
    await writeTraceFile('readme.md', '# Runs');
    await writeTraceFile('picture.png', Buffer.from([0x89, 0x50, 0xff, 0x00]));
    await writeTraceFile('empty', '');
    await writeTraceFile('config.json', '{"a":1}');
    await writeTraceFile('node_modules/x/package.json', '{}');
    await writeTraceFile('runs.jsonl', formatRun('a'));
    expect(await summarizeTraces([folder])).toEqual({
      runs: ['a'],
      problems: ['1: no run of a known format'],
    });
  });

  it('may contain cyclic links and pipes without a writer', { tags: ['unix'] }, async () => {
    await writeTraceFile('in/runs.jsonl', formatRun('a'));
    await symlink(folder, join(folder, 'in', 'loop'));
    await symlink(join(folder, 'in', 'runs.jsonl'), join(folder, 'again.jsonl'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await summarizeTraces([folder])).toEqual({ runs: ['a'], problems: [] });
  });
});

describe('a named path', () => {
  it('is read in the given order, including standard input', async () => {
    const path = await writeTraceFile('runs.jsonl', formatRun('file'));
    const stdin = Readable.from([Buffer.from(formatMessageLine('x'))]);
    expect(await summarizeTraces([path, '-', path], { stdin })).toEqual({
      runs: ['file', 'stdin', 'file'],
      problems: [],
    });
  });

  it('must exist, or nothing is read', async () => {
    const path = await writeTraceFile('runs.jsonl', formatRun('a'));
    const missing = join(folder, 'missing.jsonl');
    await expect(summarizeTraces([path, missing])).rejects.toThrow(new TraceSourceError('missing', missing));
    await expect(readTraces([path, missing]).next()).rejects.toThrow('No such file or folder');
  });

  it('must not be a device, which may never end', { tags: ['unix'] }, async () => {
    await expect(summarizeTraces(['/dev/zero'])).rejects.toThrow(
      /This is a device: "\/dev\/zero"\. Specify a file/,
    );
  });

  it('is reported as progress while it is read', async () => {
    const path = await writeTraceFile('runs.jsonl', formatRun('a'));
    const seen: (readonly [string, number])[] = [];
    await summarizeTraces([path, path], { onProgress: (file, bytes) => seen.push([file, bytes]) });
    expect(seen).toEqual([
      [path, formatRun('a').length],
      [path, formatRun('a').length * 2],
    ]);
  });

  it('is closed when reading is stopped', async () => {
    const stop = new AbortController();
    const stdin = new Readable({ read: () => undefined });
    stdin.push(`${formatRun('a')}\n${formatRun('b')}\n`);
    const runs: string[] = [];
    for await (const item of readTraces(['-'], { stdin, signal: stop.signal })) {
      if ('run' in item) runs.push(item.run.id);
      stop.abort();
    }
    expect(runs).toEqual(['a', 'b']);
    expect(stdin.destroyed).toBe(true);
  });
});
