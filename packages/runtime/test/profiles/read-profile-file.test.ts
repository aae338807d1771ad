import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, step, type Event, type Session, type SessionStep } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ProfileFileError,
  profileFileBytesMax,
  readProfileFile,
} from '../../src/profiles/read-profile-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-profile-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function writeProfileFile(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function readProfileError(path: string): Promise<ProfileFileError> {
  const error: unknown = await readProfileFile(path).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(ProfileFileError);
  const problem = error as ProfileFileError;
  expect(problem.message).not.toContain('\n');
  expect(problem.message.startsWith(JSON.stringify(path))).toBe(true);
  return problem;
}

const modesText =
  'name: two\ninitial: a\nstates:\n  - { name: a, next: [b] }\n  - { name: b, terminal: true }\n';

describe('readProfileFile', () => {
  it('reads JSON and YAML to the same profile', async () => {
    const yaml = await writeProfileFile('a.yml', 'name: mine\nextends: loom\nbudgets: { toolCalls: 3 }\n');
    const json = await writeProfileFile(
      'a.json',
      '{"name": "mine", "extends": "loom", "budgets": {"toolCalls": 3}}',
    );
    const profile = await readProfileFile(yaml);
    expect(profile).toEqual(await readProfileFile(json));
    expect(profile.settings).toMatchObject({ ...findProfile('loom')?.settings, budgets: { toolCalls: 3 } });
  });

  it('reads the chart from a file relative to the profile', async () => {
    await mkdir(join(folder, 'charts'));
    await writeProfileFile('charts/two.yaml', modesText);
    const path = await writeProfileFile('mine.yaml', 'name: mine\nchart: ./charts/two.yaml\n');
    expect((await readProfileFile(path)).settings.chart?.name).toBe('two');
  });

  it('resolves the name of a built-in chart', async () => {
    const path = await writeProfileFile('mine.yaml', 'name: mine\nchart: savant\n');
    await writeProfileFile('savant', modesText);
    expect((await readProfileFile(path)).settings.chart?.name).toBe('savant');
  });
});

describe('a profile file that cannot be used', () => {
  it.each([
    ['a.yaml', 'name: mine\nbudgets:\n  steps: 5\n', ['invalid', 3], 'unknown key "steps"'],
    ['a.yaml', 'name: mine\nmaxRetries: many\n', ['invalid', 2], 'expected a number'],
    ['a.json', '{\n"name": "mine",\n"chart": "lkj2"}', ['invalid', 3], 'there is no chart "lkj2"'],
    ['a.json', '{\n"name": "mine",,\n}', ['syntax', 2], 'invalid JSON'],
    ['a.yaml', 'name: mine\nname: yours\n', ['syntax', 2], 'duplicate key'],
    ['a.yaml', '', ['invalid', null], 'expected an object'],
    ['a.txt', 'name: mine', ['unknown-kind', null], '.json, .yaml or .yml'],
  ] as const)('reports what is wrong and where: %s, %j', async (name, content, [code, line], message) => {
    const problem = await readProfileError(await writeProfileFile(name, content));
    expect(problem).toMatchObject({ code, line });
    expect(problem.message).toContain(message);
  });

  it('is reported if it is not text or too large', async () => {
    const bytes = await readProfileError(await writeProfileFile('a.yaml', new Uint8Array([0xff, 0xfe])));
    expect(bytes).toMatchObject({ code: 'syntax', line: null });
    expect(bytes.message).toContain('UTF-8');
    const large = await writeProfileFile('a.yaml', `#${'x'.repeat(profileFileBytesMax)}`);
    expect(await readProfileError(large)).toMatchObject({ code: 'too-large', line: null });
  });

  it('is reported if it is missing or not a file', async () => {
    expect(await readProfileError(join(folder, 'none.yaml'))).toMatchObject({ code: 'missing' });
    await mkdir(join(folder, 'folder.yaml'));
    expect(await readProfileError(join(folder, 'folder.yaml'))).toMatchObject({ code: 'not-a-file' });
  });

  it('is reported with the problem of its chart file and the line that names it', async () => {
    const path = await writeProfileFile('mine.yaml', 'name: mine\nchart: ./two.yaml\n');
    const missing = await readProfileError(path);
    expect(missing).toMatchObject({ code: 'chart', line: 2 });
    expect(missing.message).toContain(JSON.stringify(join(folder, 'two.yaml')));
    await writeProfileFile('two.yaml', modesText.replace('next: [b]', 'next: [c]'));
    expect((await readProfileError(path)).message).toMatch(/two\.yaml", line 4: .*there is no state "c"/);
  });
});

const examplesFolder = join(import.meta.dirname, '../../../../examples/profiles');

type UntimedEvent<Each> = Each extends Event ? Omit<Each, 'at'> : never;

async function createExampleSession(file: string): Promise<Session> {
  const { name, settings } = await readProfileFile(join(examplesFolder, file));
  return createSession({ id: 's', at: 0, profile: name, settings });
}

function applyEvents(from: Session, ...events: readonly UntimedEvent<Event>[]): SessionStep {
  let after: SessionStep = { session: from, actions: [], notes: [] };
  for (const event of events) {
    after = step(after.session, { ...event, at: after.session.seq * 10 });
  }
  return after;
}

const userMessage = { type: 'user-message', text: 'Go.' } as const;
const createReplyEvent = (tool: string, args: object, text = '') =>
  ({ type: 'model-replied', text, calls: [{ id: 'a', tool, args: args as never }] }) as const;
const createResultEvent = (outcome: Extract<Event, { type: 'tool-finished' }>['outcome']) =>
  ({ type: 'tool-finished', callId: 'a', outcome }) as const;

describe('the reviewer example', () => {
  it('alternates between reading and judging, and is denied file changes', async () => {
    const began = applyEvents(await createExampleSession('reviewer.yaml'), userMessage);
    expect(began.session.mode?.state).toBe('reading');
    const denied = applyEvents(began.session, createReplyEvent('edit', { path: 'a.ts' }));
    expect(denied.session.turn.status).toBe('callingModel');
    expect(denied.session.mode?.refusal).toContain('edit cannot be used in reading');
    const judging = applyEvents(began.session, createReplyEvent('run_tests', {}, 'This looks risky.'));
    expect(judging.session.mode?.state).toBe('judging');
    const back = applyEvents(
      judging.session,
      createResultEvent({ ok: true, output: 'passed' }),
      createReplyEvent('read', { path: 'a.ts' }),
    );
    expect(back.session.mode?.state).toBe('reading');
  });

  it('is asked for its answer when its budget is nearly exhausted', async () => {
    let session = applyEvents(await createExampleSession('reviewer.yaml'), userMessage).session;
    let asked = 1;
    for (; asked < 30 && !isLastCall(session); asked += 1) {
      const looks =
        asked % 2 === 0
          ? createReplyEvent('run_tests', { asked }, 'Hm.')
          : createReplyEvent('read', { path: `${asked}.ts` });
      session = applyEvents(session, looks, createResultEvent({ ok: true, output: `line ${asked}` })).session;
    }
    expect(asked).toBe(20);
  });
});

function isLastCall({ turn }: Session): boolean {
  return turn.status === 'callingModel' && turn.ask.finish !== null;
}

describe('the patient coder example', () => {
  it('may repeat a failure four times before it gets advice, where others get it after two', async () => {
    const patient = await createExampleSession('patient-coder.json');
    const usual = createSession({ id: 's', at: 0 });
    expect([countFailuresUntilAdvice(patient), countFailuresUntilAdvice(usual)]).toEqual([4, 2]);
  });
});

function countFailuresUntilAdvice(from: Session): number {
  let { session } = applyEvents(from, userMessage);
  for (let count = 1; count < 20; count += 1) {
    const error = { kind: 'failed', message: 'expected 2 to be 3' } as const;
    const after = applyEvents(
      session,
      createReplyEvent('bash', { command: 'npm test' }),
      createResultEvent({ ok: false, error }),
    );
    if (after.actions.some((action) => action.type === 'ask-model' && action.advice !== null)) return count;
    session = after.session;
  }
  throw new Error('there was no advice');
}
