import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, findProfile, step, type Event, type Session, type Step } from '@pawl/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProfileFileError } from '../../src/profiles/profile-file-error.ts';
import { profileFileBytesMax, readProfileFile } from '../../src/profiles/read-profile-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-profile-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function problemOf(path: string): Promise<ProfileFileError> {
  const error: unknown = await readProfileFile(path).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(ProfileFileError);
  const problem = error as ProfileFileError;
  expect(problem.message).not.toContain('\n');
  expect(problem.message.startsWith(JSON.stringify(path))).toBe(true);
  return problem;
}

const modes = 'name: two\ninitial: a\nstates:\n  - { name: a, next: [b] }\n  - { name: b, terminal: true }\n';

describe('readProfileFile', () => {
  it('reads JSON and YAML to the same profile', async () => {
    const yaml = await put('a.yml', 'name: mine\nextends: loom\nbudgets: { toolCalls: 3 }\n');
    const json = await put('a.json', '{"name": "mine", "extends": "loom", "budgets": {"toolCalls": 3}}');
    const profile = await readProfileFile(yaml);
    expect(profile).toEqual(await readProfileFile(json));
    expect(profile.settings).toMatchObject({ ...findProfile('loom')?.settings, budgets: { toolCalls: 3 } });
  });

  it('reads the chart from a file beside it, from wherever it is called', async () => {
    await mkdir(join(folder, 'charts'));
    await put('charts/two.yaml', modes);
    const path = await put('mine.yaml', 'name: mine\nchart: ./charts/two.yaml\n');
    expect((await readProfileFile(path)).settings.chart?.name).toBe('two');
  });

  it('takes the name of a chart that is built in for that chart', async () => {
    const path = await put('mine.yaml', 'name: mine\nchart: savant\n');
    await put('savant', modes);
    expect((await readProfileFile(path)).settings.chart?.name).toBe('savant');
  });
});

describe('a profile file that cannot be used', () => {
  it.each([
    ['a.yaml', 'name: mine\nbudgets:\n  steps: 5\n', ['invalid', 2], 'there is no key "steps"'],
    ['a.yaml', 'name: mine\nmaxRetries: many\n', ['invalid', 2], 'expects a whole number'],
    ['a.json', '{\n"name": "mine",\n"chart": "lkj2"}', ['invalid', 3], 'there is no chart "lkj2"'],
    ['a.json', '{\n"name": "mine",,\n}', ['syntax', 2], 'this is not JSON'],
    ['a.yaml', 'name: mine\nname: yours\n', ['syntax', 2], 'stands there twice'],
    ['a.yaml', '', ['invalid', null], 'expects an object'],
    ['a.txt', 'name: mine', ['unknown-kind', null], '.json, .yaml and .yml'],
  ] as const)('is told what is wrong where: %s, %j', async (name, content, [code, line], message) => {
    const problem = await problemOf(await put(name, content));
    expect(problem).toMatchObject({ code, line });
    expect(problem.message).toContain(message);
  });

  it('is told that it is no text, or too much of it', async () => {
    const bytes = await problemOf(await put('a.yaml', new Uint8Array([0xff, 0xfe])));
    expect(bytes).toMatchObject({ code: 'syntax', line: null });
    expect(bytes.message).toContain('UTF-8');
    const large = await put('a.yaml', `#${'x'.repeat(profileFileBytesMax)}`);
    expect(await problemOf(large)).toMatchObject({ code: 'too-large', line: null });
  });

  it('is told that it is missing, or no file', async () => {
    expect(await problemOf(join(folder, 'none.yaml'))).toMatchObject({ code: 'missing' });
    await mkdir(join(folder, 'folder.yaml'));
    expect(await problemOf(join(folder, 'folder.yaml'))).toMatchObject({ code: 'not-a-file' });
  });

  it('is told what is wrong with the file of its chart, and where it names it', async () => {
    const path = await put('mine.yaml', 'name: mine\nchart: ./two.yaml\n');
    const missing = await problemOf(path);
    expect(missing).toMatchObject({ code: 'chart', line: 2 });
    expect(missing.message).toContain(JSON.stringify(join(folder, 'two.yaml')));
    await put('two.yaml', modes.replace('next: [b]', 'next: [c]'));
    expect((await problemOf(path)).message).toMatch(/two\.yaml", line 4: .*there is no state "c"/);
  });
});

const examples = join(import.meta.dirname, '../../../../examples/profiles');

type WithoutTime<Each> = Each extends Event ? Omit<Each, 'at'> : never;

async function sessionOf(file: string): Promise<Session> {
  const { name, settings } = await readProfileFile(join(examples, file));
  return createSession({ id: 's', at: 0, profile: name, settings });
}

function tell(from: Session, ...happenings: readonly WithoutTime<Event>[]): Step {
  let after: Step = { session: from, actions: [], notes: [] };
  for (const happening of happenings) {
    after = step(after.session, { ...happening, at: after.session.seq * 10 });
  }
  return after;
}

const says = { type: 'user-message', text: 'Go.' } as const;
const calls = (tool: string, args: object, text = '') =>
  ({ type: 'model-replied', text, calls: [{ id: 'a', tool, args: args as never }] }) as const;
const ends = (outcome: Extract<Event, { type: 'tool-finished' }>['outcome']) =>
  ({ type: 'tool-finished', callId: 'a', outcome }) as const;

describe('the reviewer of the examples', () => {
  it('reads and judges by turns, and is denied what would change a file', async () => {
    const began = tell(await sessionOf('reviewer.yaml'), says);
    expect(began.session.mode?.state).toBe('reading');
    const denied = tell(began.session, calls('edit', { path: 'a.ts' }));
    expect(denied.session.turn.status).toBe('callingModel');
    expect(denied.session.mode?.refusal).toContain('edit cannot be used in reading');
    const judging = tell(began.session, calls('run_tests', {}, 'This looks risky.'));
    expect(judging.session.mode?.state).toBe('judging');
    const back = tell(judging.session, ends({ ok: true, output: 'passed' }), calls('read', { path: 'a.ts' }));
    expect(back.session.mode?.state).toBe('reading');
  });

  it('is asked for its answer when its budget is nearly used up', async () => {
    let session = tell(await sessionOf('reviewer.yaml'), says).session;
    let asked = 1;
    for (; asked < 30 && !isLast(session); asked += 1) {
      const looks =
        asked % 2 === 0 ? calls('run_tests', { asked }, 'Hm.') : calls('read', { path: `${asked}.ts` });
      session = tell(session, looks, ends({ ok: true, output: `line ${asked}` })).session;
    }
    expect(asked).toBe(20);
  });
});

function isLast({ turn }: Session): boolean {
  return turn.status === 'callingModel' && turn.ask.finish !== null;
}

describe('the patient coder of the examples', () => {
  it('may fail the same way four times before it hears of it, where others hear after two', async () => {
    const patient = await sessionOf('patient-coder.json');
    const usual = createSession({ id: 's', at: 0 });
    expect([failuresUntilAdvice(patient), failuresUntilAdvice(usual)]).toEqual([4, 2]);
  });
});

function failuresUntilAdvice(from: Session): number {
  let { session } = tell(from, says);
  for (let count = 1; count < 20; count += 1) {
    const error = { kind: 'failed', message: 'expected 2 to be 3' } as const;
    const after = tell(session, calls('bash', { command: 'npm test' }), ends({ ok: false, error }));
    if (after.actions.some((action) => action.type === 'ask-model' && action.advice !== null)) return count;
    session = after.session;
  }
  throw new Error('there was no advice');
}
