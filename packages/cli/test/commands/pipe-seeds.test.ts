import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  toJsonLines,
  runPipeInput,
  parsePipeAnswer,
  type PipeAnswerJson,
} from '../fixtures/run-pipe-input.ts';

/** The part of a state that these tests read. */
type PipeState = {
  readonly status: string;
  readonly mode: { readonly state: string } | null;
  readonly memory: { readonly tokens: number; readonly entries: Readonly<Record<string, unknown>> } | null;
  readonly phases: { readonly current: object | null; readonly completed: readonly object[] };
};
type JsonRecord = Readonly<Record<string, unknown>>;

/** One answer with its state. */
type PipeStep = {
  readonly turn: string;
  readonly mode: string | null;
  readonly actions: readonly string[];
  readonly moves: readonly string[];
  readonly state: PipeState;
  readonly answer: PipeAnswerJson;
};

/** Events a second apart, as lines. */
function toTimedLines(events: readonly object[]): string {
  return toJsonLines(...events.map((event, index) => ({ at: index * 1_000, ...event })));
}

async function runPipeScript(profile: string, events: readonly object[]): Promise<readonly PipeStep[]> {
  const { code, answers } = await runPipeInput(toTimedLines(events), { profile });
  expect(code).toBe(0);
  return answers.map((answer) => {
    expect(answer.refused).toBeUndefined();
    const state = answer.state as PipeState;
    const notes = answer.notes ?? [];
    return {
      turn: state.status,
      mode: state.mode?.state ?? null,
      actions: (answer.actions ?? []).map(({ type }) => String(type)),
      moves: notes.flatMap(({ type, from, to }) =>
        type === 'mode' ? [`${String(from)} → ${String(to)}`] : [],
      ),
      state,
      answer,
    };
  });
}

/** Returns the only action of a type in an answer. */
function findOnlyAction({ answer }: PipeStep, type: string): JsonRecord {
  const found = answer.actions?.filter((each) => each['type'] === type) ?? [];
  expect(found).toHaveLength(1);
  return found[0] ?? {};
}

function listPipeVerdicts({ answer }: PipeStep): readonly JsonRecord[] {
  return (answer.notes ?? []).flatMap((note) =>
    note['type'] === 'verdict' ? [note['verdict'] as JsonRecord] : [],
  );
}

function getPipeStep(all: readonly PipeStep[], index: number): PipeStep {
  const found = all.at(index);
  if (found === undefined) throw new Error(`there is no answer ${index}`);
  return found;
}

const createUserMessage = (words: string) => ({ type: 'user-message', text: words });
const createModelReply = (words: string, more: object = {}) => ({
  type: 'model-replied',
  text: words,
  calls: [],
  ...more,
});
const createCallReply = (tool: string, args: object, more: object = {}) =>
  createModelReply('', { calls: [{ id: 'c', tool, args }], ...more });
const createToolFinishedEvent = (outcome: object, more: object = {}) => ({
  type: 'tool-finished',
  callId: 'c',
  outcome,
  ...more,
});
const createSuccessEvent = (output: unknown = 'done') => createToolFinishedEvent({ ok: true, output });
const createFailureEvent = (message: string) =>
  createToolFinishedEvent({ ok: false, error: { kind: 'failed', message } });
const createSearchReply = (query: string) => createCallReply('context.fts_search', { query });

/** Answers the same lines in a separate process. */
async function runPipeScriptProcess(
  profile: string,
  events: readonly object[],
): Promise<readonly PipeAnswerJson[]> {
  const bin = join(import.meta.dirname, '../../bin/pawl.js');
  const child = spawn(process.execPath, [bin, 'pipe', '--profile', profile], { stdio: 'pipe' });
  child.stdin.end(toTimedLines(events));
  const [out, err, closed] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  expect([closed, err]).toEqual([[0, null], '']);
  return out.trimEnd().split('\n').map(parsePipeAnswer);
}

/** All lines up to the repeated query. */
const architecture = [
  createUserMessage('Find the architecture.'),
  createSearchReply('architecture'),
  createSuccessEvent('docs/architecture.md: layers'),
  createModelReply('There are layers. How they run is still open.'),
  createSearchReply('execution'),
  createSuccessEvent('runtime.rb: the loop'),
];

const savant = [
  ...architecture,
  createSearchReply('execution'),
  createModelReply('Layers and a loop; how they meet is not written down.'),
];

const again = [...architecture, createSearchReply('execution'), createSuccessEvent('runtime.rb: the loop')];

/** A Savant profile in which the model gets one more reply before it is stopped. */
async function writeAdviseOnceProfile(): Promise<string> {
  const path = join(folder, 'warned.yaml');
  const governor = '{ config: { policy: advise-once-then-force } }';
  await writeFile(path, `name: warned\nextends: savant\ngovernor: ${governor}\n`);
  return path;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-seeds-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the search of Savant, line by line,', () => {
  it('passes through its phases, is detected repeating itself, and ends with the results so far [SAV-37..43, SAV-146]', async () => {
    const steps = await runPipeScript('savant', savant);
    expect(steps.map(({ turn, mode, moves }) => [turn, mode, moves])).toEqual([
      ['callingModel', 'INIT', []],
      ['executingTools', 'SEARCHING', ['INIT → SEARCHING']],
      ['callingModel', 'SEARCHING', []],
      ['callingModel', 'ANALYZING', ['SEARCHING → ANALYZING']],
      ['executingTools', 'SEARCHING', ['ANALYZING → DECIDING', 'DECIDING → SEARCHING']],
      ['callingModel', 'SEARCHING', []],
      ['callingModel', 'STUCK_SEARCH', ['SEARCHING → STUCK_SEARCH']],
      ['halted', 'FINISHING', ['STUCK_SEARCH → FINISHING']],
    ]);
    expect(steps.slice(0, 6).flatMap(listPipeVerdicts)).toEqual([]);
    const asked = ['ask-model', 'run-tools', 'ask-model', 'ask-model', 'run-tools', 'ask-model', 'ask-model'];
    expect(steps.flatMap(({ actions }) => actions)).toEqual([...asked, 'stop']);
  });

  it('receives advice to finish in a final call without tools, and the second search never runs [SAV-41, SAV-42, SAV-139, SAV-148]', async () => {
    const steps = await runPipeScript('savant', savant);
    const [verdict] = listPipeVerdicts(getPipeStep(steps, 6));
    expect(verdict).toMatchObject({ severity: 'stop', rule: 'repeated_query', response: { kind: 'stop' } });
    const ask = findOnlyAction(getPipeStep(steps, 6), 'ask-model');
    expect(ask).toMatchObject({ tools: false, deadline: 6_000 + 60_000 });
    expect(ask['advice']).toContain('"execution"');
    expect(ask['advice']).toMatch(/finish now/i);
    const section = String(ask['section']).split('\n');
    expect(section.slice(0, 4)).toEqual([
      '## Agent State',
      'Current Phase: SEARCHING',
      expect.stringMatching(/^Phase Duration: \d+ms$/),
      'Status: STUCK',
    ]);
    expect(section[4]).toBe(`Advice: ${String(ask['advice'])}`);
    const messages = ask['messages'] as readonly JsonRecord[];
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      outcome: { ok: false, error: { kind: 'skipped' } },
    });
    expect(findOnlyAction(getPipeStep(steps, 7), 'stop')).toMatchObject({
      haltReason: {
        kind: 'stuck',
        rule: 'repeated_query',
        reason: expect.stringMatching(/^stuck_detection: "execution"/),
      },
    });
  });

  it('can be warned first: the repetition is not a transition, and finishing is [SAV-146..149, RS-02]', async () => {
    const steps = await runPipeScript(await writeAdviseOnceProfile(), [
      ...again,
      createCallReply('finish', { answer: 'Layers.' }),
    ]);
    expect(getPipeStep(steps, 6)).toMatchObject({ turn: 'executingTools', mode: 'SEARCHING', moves: [] });
    expect(listPipeVerdicts(getPipeStep(steps, 6))).toMatchObject([
      { rule: 'repeated_query', response: { kind: 'advise' } },
    ]);
    const { advice } = findOnlyAction(getPipeStep(steps, 7), 'ask-model');
    expect(advice).toContain('"execution"');
    expect(advice).toMatch(/finish now/i);
    expect(getPipeStep(steps, 8)).toMatchObject({ mode: 'FINISHING', moves: ['SEARCHING → FINISHING'] });
  });

  // SAV-149 ends with the finish tool; here its call is skipped and the model is asked for the same answer once more.
  it('ends with the answer of the finish tool after a warning', async () => {
    const steps = await runPipeScript(await writeAdviseOnceProfile(), [
      ...again,
      createCallReply('finish', { answer: 'Layers.' }),
    ]);
    expect(getPipeStep(steps, 8).actions).toEqual(['run-tools']);
  });

  it('is advised to stop searching for what does not exist [SAV-140, SAV-141]', async () => {
    const steps = await runPipeScript('savant', [
      createUserMessage('Find the password in a file that does not exist.'),
      createSearchReply('password'),
      createSuccessEvent('nothing found'),
      createSearchReply('password'),
      createModelReply('It cannot be found.'),
    ]);
    expect(getPipeStep(steps, 3)).toMatchObject({ mode: 'STUCK_SEARCH', actions: ['ask-model'] });
    const ask = findOnlyAction(getPipeStep(steps, 3), 'ask-model');
    expect(ask['section']).toContain('Status: STUCK');
    expect(ask['advice']).toMatch(/"password".*2 searches.*cannot be found/);
    expect(getPipeStep(steps, 4)).toMatchObject({ turn: 'halted', mode: 'FINISHING' });
  });
});

const createEditReply = (path: string) => createCallReply('edit', { path, old: 'a', new: 'b' });
const misses = [createEditReply('main.go'), createFailureEvent('old_string not found')];
const threeMisses = [createUserMessage('Fix it.'), ...misses, ...misses, ...misses];
const createRecoveryEvent = (outcome: object) => ({ type: 'recovery-finished', outcome });
const nexora = [
  ...threeMisses,
  createRecoveryEvent({ kind: 'run-tools', calls: [{ id: 'w', tool: 'write', args: { path: 'main.go' } }] }),
];

describe('the loops of Nexora, line by line,', () => {
  it('start recovery after the same error three times, with a reason that names the file [NEX-13, NEX-78..80]', async () => {
    const steps = await runPipeScript('nexora', threeMisses);
    expect(steps.map(({ turn }) => turn).join(' ')).toBe(
      `${'callingModel executingTools '.repeat(3)}errorRecovery`,
    );
    expect(steps.slice(0, 6).flatMap(listPipeVerdicts)).toEqual([]);
    const { verdict } = findOnlyAction(getPipeStep(steps, 6), 'recover') as { readonly verdict: JsonRecord };
    expect(verdict).toMatchObject({ severity: 'stop', rule: 'same_error', response: { kind: 'recover' } });
    expect(verdict['reason']).toMatch(/main\.go.*same error 3 times/);
  });

  it('halt when recovery fails [NEX-04, NEX-94, NEX-104]', async () => {
    const oneMore = [createRecoveryEvent({ kind: 'ask-model' }), ...misses];
    const steps = await runPipeScript('nexora', [...threeMisses, ...oneMore, ...oneMore, ...oneMore]);
    expect([6, 9, 12].map((index) => getPipeStep(steps, index).turn)).toEqual(Array(3).fill('errorRecovery'));
    expect(getPipeStep(steps, 15)).toMatchObject({ turn: 'halted', actions: ['stop'] });
    expect(findOnlyAction(getPipeStep(steps, 15), 'stop')).toMatchObject({
      haltReason: { kind: 'stuck', rule: 'same_error', reason: expect.stringMatching(/main\.go/) },
    });
  });

  it('end when recovery works, and a new phase resets the detector [NEX-05, NEX-84..86]', async () => {
    const steps = await runPipeScript('nexora', [
      { type: 'phase-started', number: 1, description: 'Fix it', total: 2 },
      ...nexora,
      { type: 'tool-finished', callId: 'w', outcome: { ok: true, output: 'written' } },
      { type: 'hooks-finished', actionTaken: false },
      ...misses,
      ...misses,
      { type: 'phase-started', number: 2, description: 'Fix the rest' },
      ...misses,
      ...misses,
    ]);
    expect(getPipeStep(steps, 7).turn).toBe('errorRecovery');
    expect(getPipeStep(steps, 8)).toMatchObject({ turn: 'executingTools', actions: ['run-tools'] });
    expect(getPipeStep(steps, 9)).toMatchObject({ turn: 'postToolsHook', actions: ['run-hooks'] });
    expect(getPipeStep(steps, 10)).toMatchObject({ turn: 'callingModel', actions: ['ask-model'] });
    expect(steps.slice(8).flatMap(listPipeVerdicts)).toEqual([]);
    expect(getPipeStep(steps, -1).turn).toBe('callingModel');
    expect(getPipeStep(steps, -1).state.phases).toMatchObject({
      total: 2,
      current: { number: 2, description: 'Fix the rest' },
      completed: [{ number: 1, success: true }],
    });
  });

  it('halt immediately when two files alternate [NEX-27, NEX-81..83]', async () => {
    const hooked = { type: 'hooks-finished', actionTaken: false };
    const edits = ['a.go', 'b.go', 'a.go', 'b.go'].flatMap((path) => [
      createEditReply(path),
      createSuccessEvent(),
      hooked,
    ]);
    const steps = await runPipeScript('nexora', [createUserMessage('Go.'), ...edits]);
    expect(steps.slice(0, 11).flatMap(listPipeVerdicts)).toEqual([]);
    const [verdict] = steps.flatMap(listPipeVerdicts);
    expect(verdict).toMatchObject({ rule: 'oscillation', severity: 'stop' });
    expect(verdict?.['reason']).toMatch(/oscillating.*a\.go.*b\.go/i);
    expect(getPipeStep(steps, 12)).toMatchObject({ turn: 'halted', actions: ['stop'] });
  });

  it('are not detected when each phase changes its own files [NEX-64, NEX-66, NEX-77]', async () => {
    const phases = Array.from({ length: 10 }, (_, index) => index + 1).flatMap((number) => [
      {
        type: 'phase-started',
        number,
        description: `Refactor package ${number}`,
        expectedMs: 900_000,
        total: 10,
      },
      createUserMessage('Go on.'),
      ...Array.from({ length: 12 }, (__, file) => `pkg${number}/file${file}.go`).flatMap((path) => [
        createEditReply(path),
        createSuccessEvent(),
        { type: 'hooks-finished', actionTaken: false },
      ]),
      createModelReply('That was this one.'),
    ]);
    const steps = await runPipeScript('nexora', [...phases, { type: 'phase-completed', success: true }]);
    expect(steps.flatMap(listPipeVerdicts)).toEqual([]);
    expect(getPipeStep(steps, -1).turn).toBe('waitingForUser');
    expect(getPipeStep(steps, -1).state.phases.completed).toHaveLength(10);
    expect(getPipeStep(steps, 0).state.phases.current).toMatchObject({ number: 1, expectedMs: 900_000 });
  });
});

const bob = { tags: 'character bob old description', value: 'tall' };
const alice = { tags: 'character_alice_personality', value: 'brave, and at home outdoors' };
const plot = { tags: 'story_plot_chapter1', value: 'A letter turns up in an attic.' };
const background = {
  key: 'character_alice_background',
  value: 'grew up by the sea',
  kind: 'entry',
  savedAt: 5,
};
const createThinkingReply = (think: string, nextState: string) =>
  createModelReply('', { logs: { think }, nextState });

const lkj1 = [
  createUserMessage('Write a story.'),
  createThinkingReply('Who is in it?', 'thinking'),
  createThinkingReply('Alice is, and Bob.', 'executing'),
  createCallReply('working_memory_add', alice),
  createSuccessEvent('added'),
  createCallReply('working_memory_add', bob),
  createSuccessEvent('added'),
  createCallReply('working_memory_remove', { tags: 'character_bob_old_description' }),
  createSuccessEvent('removed'),
  createCallReply('storage_load', { tags: 'character_alice_background' }),
  createToolFinishedEvent({ ok: true, output: 'loaded' }, { found: [background] }),
  createCallReply('storage_save', plot),
  createSuccessEvent('saved'),
];

describe('the four actions of the first LKJAgent, line by line,', () => {
  it('lead from thinking through executing back to thinking [LKJ1-44]', async () => {
    const steps = await runPipeScript('lkj1', lkj1);
    expect(steps.slice(0, 5).map(({ turn, mode, actions }) => [turn, mode, actions])).toEqual([
      ['callingModel', 'thinking', ['ask-model']],
      ['callingModel', 'thinking', ['ask-model']],
      ['callingModel', 'executing', ['ask-model']],
      ['executingTools', 'executing', ['run-tools']],
      ['callingModel', 'thinking', ['ask-model']],
    ]);
    expect([6, 8, 10, 12].map((index) => getPipeStep(steps, index).mode)).toEqual(Array(4).fill('thinking'));
  });

  it('apply their memory actions [LKJ1-46, LKJ1-48, LKJ1-51, LKJ1-56, LKJ1-59, LKJ1-61]', async () => {
    const steps = await runPipeScript('lkj1', lkj1);
    const held = (index: number) => getPipeStep(steps, index).state.memory?.entries;
    const logs = { thinking_log_001: 'Who is in it?', thinking_log_002: 'Alice is, and Bob.' };
    const added = { ...logs, character_alice_personality: alice.value };
    expect(held(0)).toEqual({});
    expect(held(2)).toEqual(logs);
    expect(held(4)).toEqual(added);
    expect(held(6)).toEqual({ ...added, character_bob_old_description: 'tall' });
    expect(held(8)).toEqual(added);
    expect(held(10)).toEqual({ ...added, character_alice_background: background.value });
    expect(held(12)).toEqual(held(10));
    expect(findOnlyAction(getPipeStep(steps, 12), 'store')['entries']).toEqual([
      { key: 'story_plot_chapter1', value: plot.value, kind: 'entry', savedAt: 12_000 },
    ]);
  });

  it('are rejected when the action does not exist, and the model is notified [LKJ1-45]', async () => {
    const steps = await runPipeScript('lkj1', [
      createUserMessage('Go.'),
      createThinkingReply('I try.', 'executing'),
      createCallReply('storage_search', { tags: 'x' }),
    ]);
    expect(getPipeStep(steps, 2)).toMatchObject({
      turn: 'callingModel',
      mode: 'thinking',
      moves: ['executing → thinking'],
    });
    expect(String(findOnlyAction(getPipeStep(steps, 2), 'ask-model')['section'])).toContain(
      'there is no action "storage_search"',
    );
  });
});

const long = { tags: 'chapter', value: 'word '.repeat(4_000) };
const createEvaluationReply = (evaluation: string, nextState?: string) =>
  createModelReply('', { logs: { evaluation }, ...(nextState !== undefined && { nextState }) });

const lkj = [
  createUserMessage('Write a story.'),
  createThinkingReply('I note who it is about.', 'commanding'),
  createCallReply('working_memory_add', alice),
  createSuccessEvent('added'),
  createEvaluationReply('That is noted.'),
  createThinkingReply('Now the chapter.', 'commanding'),
  createCallReply('working_memory_add', long),
  createSuccessEvent('added'),
  createEvaluationReply('That was a lot.', 'commanding'),
  { type: 'paging-finished', freedTokens: 4_000 },
  createThinkingReply('On with it.', 'thinking'),
];

describe('the cycle of the second LKJAgent, line by line,', () => {
  it('thinks, commands, evaluates, and compacts memory before it thinks again [LKJ2-09, LKJ2-12, LKJ2-22, LKJ2-24, RL-17]', async () => {
    const steps = await runPipeScript('lkj', lkj);
    expect(steps.map(({ turn, mode, moves, actions }) => [turn, mode, moves, actions])).toEqual([
      ['callingModel', 'thinking', [], ['ask-model']],
      ['callingModel', 'commanding', ['thinking → commanding'], ['ask-model']],
      ['executingTools', 'commanding', [], ['run-tools']],
      ['callingModel', 'evaluating', ['commanding → evaluating'], ['ask-model']],
      ['callingModel', 'thinking', ['evaluating → thinking'], ['ask-model']],
      ['callingModel', 'commanding', ['thinking → commanding'], ['ask-model']],
      ['executingTools', 'commanding', [], ['run-tools']],
      ['callingModel', 'evaluating', ['commanding → evaluating'], ['ask-model']],
      ['paging', 'paging', ['evaluating → paging'], ['page-memory']],
      ['callingModel', 'thinking', ['paging → thinking'], ['store', 'ask-model']],
      ['callingModel', 'thinking', [], ['ask-model']],
    ]);
  });

  it('writes its logs to working memory, and moves the excess to storage [LKJ2-08, LKJ2-29, LKJ2-30]', async () => {
    const steps = await runPipeScript('lkj', lkj);
    const after = getPipeStep(steps, 4).state.memory?.entries ?? {};
    expect(after).toMatchObject({
      think_log_001: 'I note who it is about.',
      character_alice_personality: alice.value,
      evaluation_log_001: 'That is noted.',
    });
    expect(after['command_log_001']).toMatch(/working_memory_add.*character_alice_personality/);
    expect(getPipeStep(steps, 8).state.memory?.tokens).toBeGreaterThanOrEqual(4_096);
    const { memory } = getPipeStep(steps, 9).state;
    expect(memory?.tokens).toBeLessThan(4_096);
    expect(memory?.entries['chapter']).not.toBe(long.value);
    const stored = findOnlyAction(getPipeStep(steps, 9), 'store')['entries'] as readonly JsonRecord[];
    expect(stored).toContainEqual({ key: 'chapter', value: long.value, kind: 'entry', savedAt: 9_000 });
    const paged = getPipeStep(steps, 9).answer.notes?.find(({ type }) => type === 'paged');
    expect(paged?.['moved']).toContainEqual(expect.objectContaining({ key: 'chapter' }));
  });
});

const edited = { id: 'e', tool: 'edit_file', args: { path: 'a.ts' } };
const read = { id: 'r', tool: 'read_file', args: { path: 'b.ts' } };
const over = { kind: 'overloaded', message: 'Come back later.' };

const loom = [
  createUserMessage('Tidy up.'),
  { type: 'text-delta', text: 'I look' },
  createModelReply('I look first.', { calls: [edited, read] }),
  { type: 'tool-finished', callId: 'r', outcome: { ok: true, output: 'text' } },
  { type: 'tool-finished', callId: 'e', outcome: { ok: true, output: 'edited' } },
  { type: 'hooks-finished', actionTaken: true },
  { type: 'model-failed', error: over },
  { type: 'retry-due' },
  createModelReply('Tidy.'),
  { type: 'shutdown-requested' },
];

describe('a turn of Loom, line by line,', () => {
  it('calls the model, runs tools in parallel, runs hooks, retries and answers [LOOM-43, LOOM-44, LOOM-47, LOOM-50..53, LOOM-55, LOOM-56]', async () => {
    const steps = await runPipeScript('loom', loom);
    expect(steps.map(({ turn, actions }) => [turn, actions])).toEqual([
      ['callingModel', ['ask-model']],
      ['callingModel', ['show-text']],
      ['executingTools', ['run-tools']],
      ['executingTools', ['wait']],
      ['postToolsHook', ['run-hooks']],
      ['callingModel', ['ask-model']],
      ['errorRecovery', ['wait']],
      ['callingModel', ['ask-model']],
      ['waitingForUser', ['wait']],
      ['shuttingDown', ['shut-down']],
    ]);
    expect(findOnlyAction(getPipeStep(steps, 4), 'run-hooks')['completed']).toMatchObject([
      { tool: 'edit_file', ok: true },
      { tool: 'read_file', ok: true },
    ]);
  });

  it('sends the model the full conversation, with results in call order [LOOM-77..79, RO-07]', async () => {
    const steps = await runPipeScript('loom', loom);
    const getText = (index: number) =>
      findOnlyAction(getPipeStep(steps, index), 'ask-model')['messages'] as readonly JsonRecord[];
    expect(getText(0)).toMatchObject([{ role: 'user', text: 'Tidy up.' }]);
    expect(getText(5)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', text: 'I look first.', calls: [edited, read] },
      { role: 'tool', callId: 'e', outcome: { output: 'edited' } },
      { role: 'tool', callId: 'r', outcome: { output: 'text' } },
    ]);
    expect(getText(7)).toEqual(getText(5));
    expect(getPipeStep(steps, 8).state).toMatchObject({ messages: 5 });
  });
});

describe('each of them in a separate process', () => {
  it.each(Object.entries({ savant, nexora, lkj1, lkj, loom }))(
    'gives the same answers for %s [LOOM-73]',
    async (profile, events) => {
      expect(await runPipeScriptProcess(profile, events)).toEqual(
        (await runPipeInput(toTimedLines(events), { profile })).answers,
      );
    },
  );
});
