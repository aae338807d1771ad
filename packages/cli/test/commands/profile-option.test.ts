import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInProfiles } from '@pawl/core/profiles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveProfileOption } from '../../src/options/load-config.ts';
import { main } from '../../src/main.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { captureIo } from '../capture-io.ts';
import { toJsonLines, runPipeInput } from '../fixtures/run-pipe-input.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-profile-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function writeProfileFile(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('--profile', () => {
  it.each(builtInProfiles)('resolves $name by name', async (profile) => {
    expect(await resolveProfileOption(profile.name)).toBe(profile);
  });

  it('accepts a file', async () => {
    const path = await writeProfileFile('mine.yaml', 'name: mine\nextends: loom\nmaxRetries: 1\n');
    expect(await resolveProfileOption(path)).toMatchObject({ name: 'mine', settings: { maxRetries: 1 } });
  });

  it.each([
    ['lom', 'Unknown profile "lom". Did you mean loom? Available: pawl, loom, nexora, savant, lkj, lkj1.'],
    ['__proto__', 'Unknown profile "__proto__". Available: pawl, loom, nexora, savant, lkj, lkj1.'],
    ['none.yaml', '"none.yaml": file not found. Check the path.'],
    ['./loom', '"./loom": unknown file extension. A profile must be a .json, .yaml or .yml file.'],
  ])('says in one line what is wrong with %s', async (given, message) => {
    await expect(resolveProfileOption(given)).rejects.toThrow(new UsageError(message));
  });
});

describe('pawl pipe --profile', () => {
  const asked = { type: 'user-message', at: 0, text: 'Hello' };
  const failed = { type: 'model-failed', at: 1, error: { kind: 'overloaded', message: 'Later.' } };

  it('applies the profile file, and names it in the session', async () => {
    const path = await writeProfileFile('once.json', '{"name": "once", "extends": "loom", "maxRetries": 1}');
    const status = { state: 'status' };
    const mine = await runPipeInput(toJsonLines(asked, failed), { profile: path, ...status });
    const theirs = await runPipeInput(toJsonLines(asked, failed), { profile: 'loom', ...status });
    expect([mine, theirs].map(({ answers }) => answers[1]?.state)).toEqual([
      'waitingForUser',
      'errorRecovery',
    ]);
    const full = await runPipeInput(toJsonLines(asked), { profile: path, state: 'full' });
    expect(full.answers[0]?.state).toMatchObject({ profile: 'once' });
  });

  it('exits with one line and exit code 2 if the file is invalid', async () => {
    const path = await writeProfileFile('bad.yaml', 'name: bad\ngovernor:\n  rules:\n    same-qery: false\n');
    const { io, out, err } = captureIo(toJsonLines(asked));
    expect(await main(['pipe', '--profile', path], io)).toBe(2);
    expect(out()).toBe('');
    expect(err()).toContain(
      `${JSON.stringify(path)}, line 4: The profile, at governor.rules.same-qery: unknown key "same-qery"`,
    );
    expect(err().trimEnd().split('\n')).toHaveLength(1);
  });
});
