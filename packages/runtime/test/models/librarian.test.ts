import {
  type ConversationMessage,
  type ToolOutcome,
  appendItem,
  type ConversationHistory,
  emptyConversation,
} from '@pawl/core';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLibrarian } from '../../src/models/librarian.ts';
import type { ModelChunk } from '../../src/models/model.ts';
import type { FolderIndex } from '../../src/search/index-folder.ts';
import { indexFolder } from '../../src/search/index-folder.ts';
import { finishTool } from '../../src/tools/librarian-tools.ts';
import { createReadTool } from '../../src/tools/read.ts';
import { createSearchTool } from '../../src/tools/search.ts';
import type { Tool } from '../../src/tools/tool.ts';
import type { TempFolder } from '../search/temp-folder.ts';
import { createTempFolder } from '../search/temp-folder.ts';

const files = {
  'README.md': [
    '# Ratchets',
    '',
    'This folder is about machines that turn one way.',
    '',
    '## The pawl',
    '',
    'A pawl is a small catch on a pivot.',
    'It drops into the teeth of a wheel and stops it from turning backwards.',
    '',
    '## The spring',
    '',
    'A spring pushes the pawl against the wheel.',
    'Without a spring the pawl works by its own weight.',
  ].join('\n'),
  'docs/history.md':
    '# History\n\nThe windlass on a ship had pawls before the year 1500.\nSailors sang while they turned it.',
  'docs/oil.md': '# Oil\n\nOil the pivot once a month. Use thin oil in winter.',
  'src/wheel.ts':
    "import { teeth } from './teeth.ts';\n\n/** Turns the wheel by one tooth. */\nexport function turnWheel(): number {\n  return teeth() + 1;\n}",
  'package-lock.json': '{ "packages": { "pawl": { "version": "1.0.0", "wheel": "pawl stops wheel" } } }',
};

let folder: TempFolder;
let index: FolderIndex;
let tools: readonly Tool[];

beforeAll(async () => {
  folder = createTempFolder(files);
  index = await indexFolder(folder.root);
  tools = [createSearchTool(index), createReadTool(index), finishTool];
});

afterAll(() => {
  index.close();
  folder[Symbol.dispose]();
});

const model = createLibrarian();
const neverSignal = new AbortController().signal;

type AskOptions = {
  readonly tools?: readonly Tool[];
  readonly advice?: string | null;
  readonly signal?: AbortSignal;
};

async function askLibrarian(
  conversation: ConversationHistory<ConversationMessage>,
  options: AskOptions = {},
): Promise<readonly ModelChunk[]> {
  const described = (options.tools ?? tools).map(({ description }) => description);
  const advice = options.advice ?? null;
  const request = { system: '', conversation, tools: described, advice, state: null, mode: null };
  const chunks: ModelChunk[] = [];
  for await (const chunk of model.stream(request, options.signal ?? neverSignal)) chunks.push(chunk);
  return chunks;
}

function getReplyChunk(chunks: readonly ModelChunk[]) {
  const last = chunks.at(-1);
  if (last?.type !== 'reply') throw new Error(`expected a reply, got ${JSON.stringify(last)}`);
  return last;
}

type CalledTool = { readonly tool: string; readonly args: unknown };
type LibrarianRun = {
  readonly conversation: ConversationHistory<ConversationMessage>;
  readonly calls: readonly CalledTool[];
  readonly answer: string | null;
};

/** Asks once and runs the tools asked for, as the loop does. `outcomes` take the place of what a tool would do. */
async function runLibrarianStep(
  start: ConversationHistory<ConversationMessage>,
  outcomes: Readonly<Record<string, ToolOutcome>> = {},
): Promise<LibrarianRun> {
  const { text, calls } = getReplyChunk(await askLibrarian(start));
  const named = calls.map((call, number) => ({ ...call, id: `call-${number}` }));
  let conversation = appendItem<ConversationMessage>(start, { role: 'assistant', at: 0, text, calls: named });
  let answer = named.length === 0 ? text : null;
  for (const { tool, args, id } of named) {
    const found = tools.find(({ description }) => description.name === tool);
    const outcome =
      outcomes[tool] ??
      (await found?.run(args, { signal: neverSignal, report() {} })) ??
      createFailure('No such tool.');
    conversation = appendItem<ConversationMessage>(conversation, {
      role: 'tool',
      at: 0,
      callId: id,
      tool,
      outcome,
    });
    if (outcome.ok && outcome.final === true) answer = String(Reflect.get(Object(outcome.output), 'answer'));
  }
  return { conversation, calls, answer };
}

async function driveLibrarian(
  start: ConversationHistory<ConversationMessage>,
  goal: string,
  outcomes?: Readonly<Record<string, ToolOutcome>>,
): Promise<LibrarianRun & { readonly answer: string }> {
  let conversation = appendItem<ConversationMessage>(start, { role: 'user', at: 0, text: goal });
  const made: CalledTool[] = [];
  for (let count = 0; count < 20; count++) {
    const done = await runLibrarianStep(conversation, outcomes);
    conversation = done.conversation;
    made.push(...done.calls);
    if (done.answer !== null) return { conversation, calls: made, answer: done.answer };
  }
  throw new Error('The librarian does not come to an end.');
}

const runLibrarian = (goal: string, outcomes?: Readonly<Record<string, ToolOutcome>>) =>
  driveLibrarian(emptyConversation, goal, outcomes);
const createFailure = (message: string): ToolOutcome => ({ ok: false, error: { kind: 'failed', message } });
const listCalledTools = ({ calls }: { readonly calls: readonly CalledTool[] }) =>
  calls.map(({ tool }) => tool);

describe('the librarian', () => {
  it('searches and finishes with cited lines', async () => {
    const done = await runLibrarian('What is a pawl and how does it stop a wheel?');
    expect(listCalledTools(done)).toEqual(['search', 'finish']);
    expect(done.answer).toContain(
      [
        'README.md:7-8 (The pawl)',
        '> A pawl is a small catch on a pivot.',
        '> It drops into the teeth of a wheel and stops it from turning backwards.',
      ].join('\n'),
    );
    expect(done.answer).toMatch(
      /^The first passage has everything I looked for: “pawl”, “stop” and “wheel”\./,
    );
    expect(done.answer).toMatch(/\n\nI searched for “pawl stop wheel” in 5 files\.$/);
  });

  it('reads around a hit that is not self-contained', async () => {
    const done = await runLibrarian('thin winter');
    expect(listCalledTools(done)).toEqual(['search', 'read', 'finish']);
    expect(done.answer).toContain(
      'docs/oil.md:3-3 (Oil)\n> Oil the pivot once a month. Use thin oil in winter.',
    );
    expect(done.answer).toMatch(/I read docs\/oil\.md:1-3\.$/);
  });

  it('quotes only text from the cited lines and heading of the file', async () => {
    const goals = [
      'pawl',
      'What is a spring?',
      'spring catch',
      'who sang on the ship?',
      'turnWheel',
      'oil in winter',
      'wheel version',
    ];
    for (const goal of goals) {
      const { answer } = await runLibrarian(goal);
      const quotes = [...answer.matchAll(/^(\S+):(\d+)-(\d+)(?: \((.*)\))?\n((?:>.*\n?)+)/gm)];
      expect(quotes.length).toBeGreaterThan(0);
      for (const [, path = '', first, last, heading, quoted = ''] of quotes) {
        const source = (Object.entries(files).find(([name]) => name === path)?.[1] ?? '').split('\n');
        const lines = quoted
          .trimEnd()
          .split('\n')
          .map((line) => line.replace(/^> ?/, ''));
        expect(lines).toEqual(source.slice(Number(first) - 1, Number(last)));
        const above = source.slice(0, Number(first)).findLast((line) => line.startsWith('#'));
        expect(heading).toBe(above?.replace(/^#+ /, ''));
      }
    }
  });

  it('reports that it found nothing, and what it tried', async () => {
    const { answer, calls } = await runLibrarian('How do I bake sourdough?');
    expect(answer).toBe(
      'I found nothing about “bake” or “sourdough” in 5 files.\n\nI searched for “bake sourdough”, “bake”, “sourdough” in 5 files.',
    );
    expect(calls.at(-1)?.tool).toBe('finish');
  });

  it('reports which words it did not find', async () => {
    const { answer } = await runLibrarian('Which spring does the pawl of a velociraptor need?');
    expect(answer).toContain('README.md:12-13 (The spring)');
    expect(answer).toContain('Not found anywhere: “velociraptor”.');
  });

  it('does not present a passage that shares only a common word as an answer', async () => {
    const { answer } = await runLibrarian('Which velociraptor hunts quokkas near a volcano and a wheel?');
    expect(answer).toMatch(
      /^I found nothing that answers this in 5 files\. The nearest passage has only “wheel”\./,
    );
    expect(answer).toContain('Not found anywhere: “velociraptor”, “hunts”, “quokkas”, “near” and “volcano”.');
  });

  it('searches for the corrected spelling and says so', async () => {
    const { answer } = await runLibrarian('wnidlass');
    expect(answer).toContain('The windlass on a ship');
    expect(answer).toContain('Not found anywhere: “wnidlass”. For “wnidlass” I searched for “windlass”.');
  });

  it('splits an identifier that is found nowhere', async () => {
    const { answer, calls } = await runLibrarian('springWeightGauge');
    expect(calls[1]?.args).toMatchObject({ query: 'spring Weight Gauge' });
    expect(answer).toContain('Without a spring the pawl works by its own weight.');
  });

  it('searches for both subjects of a question', async () => {
    const { answer } = await runLibrarian('When did sailors sing, and which oil is for winter?');
    expect(answer).toContain('docs/history.md:');
    expect(answer).toContain('docs/oil.md:');
  });

  it('quotes code from where it is declared, not where it is imported', async () => {
    const { answer } = await runLibrarian('Where is turnWheel?');
    expect(answer).toContain(
      'src/wheel.ts:3-6\n> /** Turns the wheel by one tooth. */\n> export function turnWheel',
    );
  });

  it('prefers prose to a lock file', async () => {
    const { answer } = await runLibrarian('pawl stops wheel');
    expect(answer.indexOf('README.md:')).toBeGreaterThan(0);
    expect(answer).not.toContain('package-lock.json');
  });

  it('starts over for each goal of a conversation', async () => {
    const first = await runLibrarian('spring');
    const second = await driveLibrarian(first.conversation, 'windlass');
    expect(second.calls[0]).toEqual({ tool: 'search', args: { query: 'windlass', limit: 12 } });
    expect(second.answer).toContain('docs/history.md:3-4');
    expect(second.answer).not.toContain('spring');
  });

  it('gives the same replies to the same conversation', async () => {
    const [first, second] = [await runLibrarian('pawl weight'), await runLibrarian('pawl weight')];
    expect(second).toEqual(first);
  });

  it('reports a goal without a question', async () => {
    expect((await runLibrarian('  \n ')).answer).toMatch(/^There is no question here/);
  });

  it('ends within a few steps for any goal and never repeats a search', async () => {
    const word = fc.constantFrom(
      'pawl',
      'wheel',
      'turnWheel',
      'README.md',
      '"small catch"',
      'nothing',
      '状態',
      '*',
      '"',
      'velociraptor',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(word).map((words) => words.join(' ')),
          fc.string(),
        ),
        async (goal) => {
          const { calls, answer } = await runLibrarian(goal);
          expect(calls.filter(({ tool }) => tool === 'search').length).toBeLessThanOrEqual(5);
          expect(calls.filter(({ tool }) => tool === 'read').length).toBeLessThanOrEqual(3);
          expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(calls.length);
          expect(answer).not.toBe('');
        },
      ),
    );
  });
});

describe('when a tool fails', () => {
  it('does not repeat the call and reports the failure', async () => {
    const done = await runLibrarian('pawl', { search: createFailure('The index is gone.') });
    expect(listCalledTools(done)).toEqual(['search', 'finish']);
    expect(done.answer).toMatch(/^I could not search the files, so I know nothing about “pawl”\./);
    expect(done.answer).toContain('The tool search failed: The index is gone.');
  });

  it('answers from the excerpts when reading fails', async () => {
    const done = await runLibrarian('What is a pawl?', { read: createFailure('No.') });
    expect(listCalledTools(done)).toEqual(['search', 'read', 'finish']);
    expect(done.answer).toContain('> A pawl is a small catch on a pivot.');
    expect(done.answer).toContain('The tool read failed: No.');
  });

  it('answers in text when the finish tool is not available', async () => {
    const done = await runLibrarian('What is a pawl?', { finish: createFailure('Not yet.') });
    expect(listCalledTools(done).filter((tool) => tool === 'finish')).toHaveLength(1);
    expect(done.answer).toContain('> A pawl is a small catch on a pivot.');
  });

  it('ignores the output of another tool with the same name', async () => {
    const { answer } = await runLibrarian('pawl', { search: { ok: true, output: { results: ['pawl'] } } });
    expect(answer).toMatch(/^I could not search the files/);
  });
});

describe('a reply of the librarian', () => {
  const question = appendItem<ConversationMessage>(emptyConversation, {
    role: 'user',
    at: 0,
    text: 'What is a pawl?',
  });

  it('is streamed in chunks and then repeated in full once', async () => {
    const chunks = await askLibrarian(question);
    const pieces = chunks.slice(0, -1).map((chunk) => (chunk.type === 'text' ? chunk.text : chunk.type));
    expect(pieces.length).toBeGreaterThan(1);
    expect(getReplyChunk(chunks).text).toBe(pieces.join(''));
    expect(getReplyChunk(chunks).calls).toEqual([{ tool: 'search', args: { query: 'pawl', limit: 12 } }]);
  });

  it('is text only without tools, based on what was found so far', async () => {
    expect(getReplyChunk(await askLibrarian(question, { tools: [] }))).toMatchObject({
      text: expect.stringMatching(/^I could not search/),
      calls: [],
    });
    const { conversation } = await runLibrarian('What is a pawl?');
    expect(getReplyChunk(await askLibrarian(conversation, { tools: [] }))).toMatchObject({
      text: expect.stringContaining('> A pawl is a small catch on a pivot.'),
      calls: [],
    });
  });

  it('uses only the offered tools', async () => {
    const onlySearch = tools.filter(({ description }) => description.name === 'search');
    expect(getReplyChunk(await askLibrarian(question, { tools: onlySearch })).calls[0]?.tool).toBe('search');
    expect(getReplyChunk(await askLibrarian(question, { tools: [finishTool] })).calls[0]?.tool).toBe(
      'finish',
    );
  });

  it('answers with what was found so far when it gets advice', async () => {
    expect(getReplyChunk(await askLibrarian(question, { advice: 'Stop searching.' })).calls[0]?.tool).toBe(
      'search',
    );
    const { conversation } = await runLibrarianStep(
      appendItem<ConversationMessage>(emptyConversation, { role: 'user', at: 0, text: 'thin winter' }),
    );
    expect(getReplyChunk(await askLibrarian(conversation)).calls[0]?.tool).toBe('read');
    expect(
      getReplyChunk(await askLibrarian(conversation, { advice: 'Stop searching.' })).calls[0]?.tool,
    ).toBe('finish');
  });

  it('is a failure when it is cancelled', async () => {
    expect(await askLibrarian(question, { signal: AbortSignal.abort() })).toEqual([
      {
        type: 'failure',
        error: { kind: 'unknown', message: 'The librarian was cancelled.', retryable: false },
      },
    ]);
  });
});
