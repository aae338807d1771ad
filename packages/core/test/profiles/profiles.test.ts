import { describe, expect, it } from 'vitest';
import {
  toItemArray,
  getConversation,
  createSession,
  defaultSettings,
  step,
  type Event,
} from '../../src/index.ts';
import { memorySettings } from '../../src/memory-entry.ts';
import { findProfile, builtInProfiles } from '../../src/profiles-entry.ts';

describe('profiles', () => {
  it('are found by their names, and by nothing else', () => {
    for (const profile of builtInProfiles) expect(findProfile(profile.name)).toBe(profile);
    for (const name of ['', 'Pawl', 'constructor', '__proto__']) expect(findProfile(name)).toBeUndefined();
  });

  it('have unique names and descriptions', () => {
    expect(new Set(builtInProfiles.map(({ name }) => name)).size).toBe(builtInProfiles.length);
    for (const { description } of builtInProfiles) expect(description).not.toBe('');
  });

  it('are plain JSON with known settings only', () => {
    for (const profile of builtInProfiles) {
      expect(JSON.parse(JSON.stringify(profile))).toStrictEqual(profile);
      expect(Object.keys(defaultSettings)).toEqual(expect.arrayContaining(Object.keys(profile.settings)));
    }
  });

  it('declare their terminal states [RX-04]', () => {
    expect(Object.fromEntries(builtInProfiles.map(({ name, terminal }) => [name, terminal]))).toMatchObject({
      pawl: ['halted', 'shuttingDown'],
      loom: ['shuttingDown'],
      nexora: ['halted'],
    });
  });

  it('define how an invalid event is handled, and their other differences [RX-03]', () => {
    expect(defaultSettings.onInvalidEvent).toBe('ignore');
    expect(findProfile('pawl')?.settings).toEqual({ compact: true, memory: memorySettings.pawl });
    expect(findProfile('nexora')?.settings).toEqual({
      pageOnOverflow: false,
      onInvalidEvent: 'refuse',
      continueAfterStop: false,
      governor: {
        preset: 'nexora',
        rules: {},
        config: { readTools: ['view', 'ls', 'grep', 'read', 'search', 'glob'] },
      },
    });
  });

  it('limit the iterations where their origin did, and nowhere else [RX-10]', () => {
    const caps = builtInProfiles.map(({ name, settings }) => [name, settings.budgets?.modelCalls ?? null]);
    expect(Object.fromEntries(caps)).toEqual({
      pawl: null,
      loom: null,
      nexora: null,
      savant: null,
      lkj: 1_000,
      lkj1: 1_000,
    });
  });

  it('report a failure to the model, count it, and only the librarian returns to thinking [RX-08]', () => {
    for (const { name, settings } of builtInProfiles) {
      let session = createSession({ id: 's', at: 0, profile: name, settings });
      const call = {
        id: 'c',
        tool: name.startsWith('lkj') ? 'storage_load' : 'search',
        args: { tags: 'a', query: 'a' },
      };
      const outcome = { ok: false, error: { kind: 'failed', message: 'broken' } } as const;
      for (const event of [
        { type: 'user-message', at: 1, text: 'go' },
        { type: 'model-replied', at: 2, text: '', calls: [call] },
        { type: 'tool-finished', at: 3, callId: 'c', outcome },
      ] satisfies readonly Event[]) {
        session = step(session, event).session;
      }
      expect(toItemArray(getConversation(session)).at(-1)).toMatchObject({ role: 'tool', outcome });
      const counted =
        session.governor.detector.windows.call.length + (session.governor.tracker === null ? 0 : 1);
      expect(counted).toBe(settings.governor?.preset === 'none' ? 0 : 1);
      if (name.startsWith('lkj')) expect(session.mode?.state).toBe('thinking');
    }
  });
});

describe('createSession', () => {
  it('merges the given settings with the defaults', () => {
    const session = createSession({ id: 's', at: 5, settings: { maxRetries: 9 } });
    expect(session.settings).toEqual({ ...defaultSettings, maxRetries: 9 });
    expect(createSession({ id: 's', at: 5 }).settings).toBe(defaultSettings);
  });

  it('keeps its id and the number of phases, and starts without a phase or recovery [NEX-56, NEX-57, NEX-63]', () => {
    const session = createSession({ id: 'session-123', at: 5, profile: 'nexora', totalPhases: 10 });
    expect(session).toMatchObject({
      id: 'session-123',
      profile: 'nexora',
      phases: { total: 10, current: null, completed: [] },
      governor: { recoveries: 0 },
    });
    expect(createSession({ id: 's', at: 5 }).phases.total).toBeNull();
  });
});
