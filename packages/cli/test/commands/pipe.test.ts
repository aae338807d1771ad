import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runPipe, printEventSchema } from '../../src/commands/pipe/action.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { toJsonLines, runPipeInput, type PipeAnswerJson } from '../fixtures/run-pipe-input.ts';

const userMessageEvent = { type: 'user-message', at: 1_000, text: 'What is in the shed?' };
const call = { id: 'a', tool: 'read', args: { path: 'shed.txt' } };
const callReplyEvent = { type: 'model-replied', at: 2_000, request: 1, text: 'Let me look.', calls: [call] };
const outcome = { ok: true, output: 'two spades' };
const toolFinishedEvent = { type: 'tool-finished', at: 3_000, request: 1, callId: 'a', outcome };
const answerEvent = { type: 'model-replied', at: 4_000, request: 3, text: 'Two spades.', calls: [] };
const shutdown = { type: 'shutdown-requested', at: 9_000 };

function listActionTypes({ actions }: PipeAnswerJson): readonly unknown[] {
  return actions?.map(({ type }) => type) ?? [];
}

async function readPipeState(form: string): Promise<unknown> {
  const { answers } = await runPipeInput(toJsonLines(userMessageEvent), { state: form, id: 'mine' });
  return answers[0]?.state;
}

function createSilentStream(): Writable {
  return new PassThrough();
}

function createFailingStream(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code })),
  });
}

describe('pawl pipe', () => {
  it('runs a full turn: one answer per line, with the next actions [LOOM-07]', async () => {
    const { code, answers } = await runPipeInput(
      toJsonLines(userMessageEvent, callReplyEvent, toolFinishedEvent, answerEvent),
      { state: 'status' },
    );
    expect(code).toBe(0);
    expect(answers.map(({ ok, seq, state }) => [ok, seq, state])).toEqual([
      [true, 1, 'callingModel'],
      [true, 2, 'executingTools'],
      [true, 3, 'callingModel'],
      [true, 4, 'waitingForUser'],
    ]);
    expect(answers[1]?.actions).toEqual([{ type: 'run-tools', request: 1, calls: [call] }]);
    expect(answers[2]?.actions).toEqual([
      {
        type: 'ask-model',
        request: 3,
        attempt: 1,
        tools: true,
        advice: null,
        deadline: null,
        section: null,
        messages: [
          { role: 'user', at: 1_000, text: userMessageEvent.text },
          { role: 'assistant', at: 2_000, text: callReplyEvent.text, calls: [call] },
          { role: 'tool', at: 3_000, callId: 'a', tool: 'read', outcome },
        ],
      },
    ]);
    expect(answers[3]?.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('runs the Loom flow with all its events, from the first message to the shutdown [LOOM-30..42, LOOM-102]', async () => {
    const calls = [
      { id: 'a', tool: 'edit_file', args: {} },
      { id: 'b', tool: 'read_file', args: {} },
    ];
    const error = { kind: 'overloaded', message: 'Come back later.' };
    const failed = { ok: false, error: { kind: 'failed', message: 'No such file.' } };
    const flow: readonly (readonly [object, string, readonly string[]])[] = [
      [{ type: 'user-message', text: 'Hello' }, 'callingModel', ['ask-model']],
      [{ type: 'text-delta', text: 'I ' }, 'callingModel', ['show-text']],
      [{ type: 'call-delta', callId: 'a', tool: 'edit_file', fragment: '{' }, 'callingModel', ['wait']],
      [{ type: 'model-replied', text: 'I edit.', calls }, 'executingTools', ['run-tools']],
      [{ type: 'tool-started', callId: 'a' }, 'executingTools', ['wait']],
      [{ type: 'tool-progressed', callId: 'a', progress: 'half' }, 'executingTools', ['wait']],
      [{ type: 'tool-finished', callId: 'a', outcome }, 'executingTools', ['wait']],
      [{ type: 'tool-finished', callId: 'b', outcome: failed }, 'postToolsHook', ['run-hooks']],
      [{ type: 'hooks-finished', actionTaken: true }, 'callingModel', ['ask-model']],
      [{ type: 'model-failed', error }, 'errorRecovery', ['wait']],
      [{ type: 'retry-due' }, 'callingModel', ['ask-model']],
      [{ type: 'model-failed', error }, 'errorRecovery', ['wait']],
      [{ type: 'retry-due' }, 'callingModel', ['ask-model']],
      [{ type: 'model-failed', error }, 'waitingForUser', ['show-error']],
      [{ type: 'user-message', text: 'Once more' }, 'callingModel', ['ask-model']],
      [{ type: 'model-replied', text: 'Done.', calls: [] }, 'waitingForUser', ['wait']],
      [{ type: 'shutdown-requested' }, 'shuttingDown', ['shut-down']],
    ];
    const input = toJsonLines(...flow.map(([event], index) => ({ ...event, at: index })));
    const { code, answers } = await runPipeInput(input, { profile: 'loom', state: 'status' });
    expect(code).toBe(0);
    expect(answers.map((answer) => [answer.state, listActionTypes(answer)])).toEqual(
      flow.map(([, ...rest]) => rest),
    );
    expect(answers.every(({ refused }) => refused === undefined)).toBe(true);
  });

  it('accepts a message during a turn and sends it to the model with the results', async () => {
    const steered = { type: 'steered', at: 2_500, text: 'Only the first line.' };
    const { answers } = await runPipeInput(
      toJsonLines(userMessageEvent, callReplyEvent, steered, toolFinishedEvent),
      { state: 'compact' },
    );
    expect(answers.map(listActionTypes)).toEqual([['ask-model'], ['run-tools'], ['wait'], ['ask-model']]);
    expect(answers[2]?.refused).toBeUndefined();
    expect(answers[2]?.state).toMatchObject({ agenda: { steering: ['Only the first line.'] } });
    const [ask] = answers[3]?.actions ?? [];
    expect(ask).toMatchObject({
      type: 'ask-model',
      messages: [{}, {}, {}, { role: 'user', text: steered.text }],
    });
  });

  it('gives the same answers to the same lines [LOOM-73]', async () => {
    const input = toJsonLines(
      userMessageEvent,
      callReplyEvent,
      { ...callReplyEvent, at: 2_500 },
      toolFinishedEvent,
      answerEvent,
    );
    expect(await runPipeInput(input)).toEqual(await runPipeInput(input));
  });

  it('starts the session at the time of the first event, not of the process', async () => {
    const { answers } = await runPipeInput(toJsonLines({ type: 'retry-due', at: 5 }));
    expect(answers[0]?.state).toMatchObject({ status: 'waitingForUser', since: 5 });
  });

  it('uses the arrival time for an event without a timestamp', async () => {
    const before = Date.now();
    const { answers } = await runPipeInput(toJsonLines({ type: 'user-message', text: 'Hello' }));
    const at = answers[0]?.notes?.[0]?.['at'];
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('reports an event that the state refuses, and counts the line as valid', async () => {
    const { code, answers } = await runPipeInput(
      toJsonLines(userMessageEvent, { ...userMessageEvent, at: 5_000 }),
    );
    const [first, second] = answers;
    expect(code).toBe(0);
    expect(second).toMatchObject({
      ok: true,
      seq: 1,
      refused: 'the model is being asked',
      notes: [{ type: 'refused', event: 'user-message' }],
    });
    expect(second?.state).toEqual(first?.state);
    expect(first).not.toHaveProperty('refused');
  });

  it('prints the state in the requested format', async () => {
    expect(await readPipeState('status')).toBe('callingModel');
    expect(await readPipeState('compact')).toMatchObject({
      status: 'callingModel',
      request: 1,
      messages: 1,
      seq: 1,
    });
    expect(await readPipeState('compact')).not.toHaveProperty('conversation');
    expect(await readPipeState('full')).toMatchObject({
      version: 1,
      id: 'mine',
      profile: 'pawl',
      turn: { status: 'callingModel', conversation: { length: 1 } },
    });
  });

  it('answers a shutdown and exits with 0, regardless of other lines', async () => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const out = text(stdout);
    stdin.write(`nonsense\n${toJsonLines(shutdown, userMessageEvent)}`);
    const io = { stdin, stdout, stderr: new PassThrough() };
    expect(await runPipe({ profile: 'pawl', state: 'status' }, io)).toBe(0);
    expect(stdin.destroyed).toBe(true);
    stdout.end();
    expect((await out).trimEnd().split('\n')).toHaveLength(2);
  });

  it('continues to answer after the session has ended', async () => {
    const halt = { type: 'halt-requested', at: 1, reason: 'Enough.' };
    const { answers } = await runPipeInput(toJsonLines(halt, userMessageEvent), { state: 'status' });
    expect(answers.map(({ state, refused }) => [state, refused])).toEqual([
      ['halted', undefined],
      ['halted', 'the session has ended'],
    ]);
  });

  it('prints the JSON Schema of the events', async () => {
    const stdout = new PassThrough();
    const out = text(stdout);
    expect(await printEventSchema({ stdin: new PassThrough(), stdout, stderr: new PassThrough() })).toBe(0);
    stdout.end();
    expect(JSON.parse(await out)).toMatchObject({ $ref: '#/$defs/Event' });
  });
});

describe('pawl pipe with invalid arguments', () => {
  it.each([
    [{ profile: 'lom' }, /"lom".*Did you mean loom\?.*pawl, loom, nexora/],
    [{ profile: 'zzzzzzz' }, /"zzzzzzz".*pawl, loom, nexora/],
    [{ state: 'stats' }, /"stats".*Did you mean status\?.*compact, full, status/],
    [{ state: '' }, /""/],
  ])('says so in one line before it reads anything: %o', async (options, message) => {
    const wrong = runPipeInput(toJsonLines(userMessageEvent), options);
    await expect(wrong).rejects.toThrow(UsageError);
    await expect(wrong).rejects.toThrow(message);
  });
});

describe('the exit of pawl pipe', () => {
  it('happens when the reader has closed, even without further input', async () => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const ended = runPipe(
      { profile: 'pawl', state: 'status' },
      { stdin, stdout, stderr: createSilentStream() },
    );
    stdin.write(toJsonLines(userMessageEvent));
    for await (const _ of stdout) break;
    expect(await ended).toBe(0);
    expect(stdin.destroyed).toBe(true);
  });

  it('is silent when the pipe to the reader breaks', async () => {
    const stdin = new PassThrough();
    const stdout = createFailingStream('EPIPE');
    stdin.write(toJsonLines(userMessageEvent));
    expect(
      await runPipe({ profile: 'pawl', state: 'status' }, { stdin, stdout, stderr: createSilentStream() }),
    ).toBe(0);
  });

  it('has a reason when the output cannot be written', async () => {
    const stdin = new PassThrough();
    const stdout = createFailingStream('ENOSPC');
    stdin.write(toJsonLines(userMessageEvent));
    const ended = runPipe(
      { profile: 'pawl', state: 'status' },
      { stdin, stdout, stderr: createSilentStream() },
    );
    await expect(ended).rejects.toThrow('The output cannot be written: write ENOSPC');
  });

  it('has a reason when the input cannot be read', async () => {
    const stdin = new PassThrough();
    const ended = runPipe(
      { profile: 'pawl', state: 'status' },
      { stdin, stdout: createSilentStream(), stderr: createSilentStream() },
    );
    stdin.destroy(new Error('EISDIR: illegal operation on a directory, read'));
    await expect(ended).rejects.toThrow('Cannot read the input: EISDIR');
  });

  it('happens when the process is asked to stop', async () => {
    const interrupt = new AbortController();
    const stdin = new PassThrough();
    const options = { profile: 'pawl', state: 'status', signal: interrupt.signal };
    const ended = runPipe(options, { stdin, stdout: createSilentStream(), stderr: createSilentStream() });
    interrupt.abort();
    expect(await ended).toBe(130);
    expect(
      await runPipe(options, {
        stdin: new PassThrough(),
        stdout: createSilentStream(),
        stderr: createSilentStream(),
      }),
    ).toBe(130);
  });
});
