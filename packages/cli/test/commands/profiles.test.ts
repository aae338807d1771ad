import { join } from 'node:path';
import { defaultSettings } from '@pawl/core';
import { findProfile, builtInProfiles } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import { listProfiles, showProfile } from '../../src/commands/profiles/action.ts';
import { captureIo } from '../capture-io.ts';

const example = join(import.meta.dirname, '../../../../examples/profiles/reviewer.yaml');

describe('pawl profiles list', () => {
  it('prints a description and the settings of each profile', () => {
    const { io, out } = captureIo();
    expect(listProfiles({}, io)).toBe(0);
    expect(out().split('\n')).toHaveLength(2 * builtInProfiles.length + 1);
    expect(out()).toMatch(
      /^savant {2}Modes for a searching agent.*\n {8}governor savant, chart savant, protocol json$/m,
    );
    expect(out()).toMatch(/^loom .*\n {8}governor none, protocol native$/m);
  });

  it('prints one JSON object per line', () => {
    const { io, out } = captureIo();
    listProfiles({ json: true }, io);
    const rows = out()
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(rows).toHaveLength(6);
    expect(rows[4]).toStrictEqual({
      name: 'lkj',
      description: findProfile('lkj')?.description,
      builtIn: true,
      protocol: 'xml',
      terminal: ['halted', 'shuttingDown'],
      chart: 'lkj',
      governor: 'none',
    });
  });
});

describe('pawl profiles show', () => {
  it('shows all settings of a profile, including defaults', async () => {
    const { io, out } = captureIo();
    expect(await showProfile('savant', {}, io)).toBe(0);
    expect(out()).toMatch(/^chart +savant: INIT, SEARCHING, ANALYZING/m);
    expect(out()).toMatch(/^memory +none$/m);
    for (const key of ['protocol', 'ends in', 'governor', 'budgets'])
      expect(out()).toMatch(new RegExp(`^${key} +\\S`, 'm'));
    const plain = Object.keys(defaultSettings).filter(
      (key) => !['chart', 'governor', 'memory', 'budgets'].includes(key),
    );
    for (const key of plain) expect(out()).toMatch(new RegExp(`^${key} +\\S`, 'm'));
  });

  it('shows the profile of a file', async () => {
    const { io, out } = captureIo();
    await showProfile(example, { json: true }, io);
    expect(JSON.parse(out())).toMatchObject({
      name: 'reviewer',
      builtIn: false,
      governor: 'pawl',
      settings: { budgets: { modelCalls: 20 }, maxRetries: 3 },
    });
  });

  it.each([
    ['lom', 'Did you mean loom?'],
    ['./none.yaml', 'file not found'],
  ])('says what is wrong with %s', async (name, problem) => {
    const { io, out } = captureIo();
    await expect(showProfile(name, {}, io)).rejects.toThrow(problem);
    expect(out()).toBe('');
  });
});
