import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getPawlRules, pawlRules } from '@pawl/governor/rules';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findLogVersionProblem,
  logPatches,
  hasLogPatch,
  latestLogVersion,
} from '../../src/session/log-version.ts';
import {
  getConversation,
  createSession,
  replay,
  type Session,
  type SessionOptions,
} from '../../src/index.ts';
import { getAgenda } from '../../src/turn/agenda.ts';
import {
  cancelRequested,
  phaseCompleted,
  verdictReached,
  pauseRequested,
  modelReplied,
  phaseStarted,
} from '../helpers/event-builders.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import { pausableStateNames, createSampleRun } from '../helpers/sample-runs.ts';
import { listActionTypes, createProfileSession, runEvents, requireTurn } from '../helpers/run-events.ts';

const options: SessionOptions = { id: 's', at: 0 };

function isKnownVersion(value: unknown): boolean {
  return (
    value === undefined ||
    (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= latestLogVersion)
  );
}

function createVersionedSession(logVersion: number, haltOnFailedPhase = true): Session {
  return createProfileSession('pawl', { logVersion, settings: { haltOnFailedPhase } });
}

describe('log patches', () => {
  it('are numbered from 1, without gaps or duplicates', () => {
    const numbers = Object.values(logPatches).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const since = pawlRules.map((rule) => rule.since ?? 0);
    expect(latestLogVersion).toBe(Math.max(...numbers, ...since));
  });

  it('are listed in the table of docs/replay.md, in this order', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/replay.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (\d+) +\| `(\w+)`/gm)].map(([, number, name]) => `${number} ${name}`);
    expect(rows).toEqual(Object.entries(logPatches).map(([name, { number }]) => `${number} ${name}`));
  });

  it('apply to a session created with them or with a later one', () => {
    const patch = { number: 3, reason: 'for this test' };
    const sessions = [{}, { logVersion: 0 }, { logVersion: 2 }, { logVersion: 3 }, { logVersion: 4 }];
    expect(sessions.map((session) => hasLogPatch(session, patch))).toEqual([false, false, false, true, true]);
  });
});

/** The rules of each log version, by id with the thresholds for advise, block, ask and stop. */
const rulesByVersion: readonly (readonly [since: number, rules: string])[] = [
  [
    0,
    [
      'repeated-failure 2 3 - 4',
      'repeated-call 3 - - 4',
      'error-streak 3 - - 7',
      'edit-and-revert 2 - - 4',
      'round-and-round 3 - - 5',
      'stale-errors - - - 6',
      'nothing-works 5 - - 8',
      'interleaved-errors 3 - - -',
      'same-query 3 - - -',
      'again-and-again 5 - - -',
      'same-answer 6 - - -',
      'no-progress 12 - - -',
      'waiting 60 - - 1800',
      'repeated-text 2 - - 3',
      'similar-text 3 - 5 -',
      'monologue 5 - - -',
      'repetition-loop 1 - - 3',
      'failed-decisions 3 - - 6',
      'fruitless-paging - - - 2',
      'overdue-mode 1 - - 3',
    ].join(', '),
  ],
  [
    5,
    [
      'repeated-failure 2 3 - 4',
      'repeated-call 3 - - 4',
      'error-streak 3 - - 5',
      'edit-and-revert 2 - - 4',
      'repeated-edit 3 - - 6',
      'round-and-round 3 - - 5',
      'nothing-works 5 - - 8',
      'fruitless-search 5 - - 16',
      'interleaved-errors 3 - - 6',
      'same-query 3 - - -',
      'again-and-again 5 - - -',
      'same-answer 6 - - -',
      'no-progress 12 - - -',
      'waiting 60 - - 1800',
      'repeated-text 2 - - 3',
      'repetition-loop 1 - - 3',
      'failed-decisions 3 - - 6',
      'fruitless-paging - - - 2',
      'overdue-mode 1 - - 3',
      'combined-matches - - - 2',
    ].join(', '),
  ],
];

describe('the rules of the governor', () => {
  it.each(rulesByVersion)('of sessions since log version %i never change', (since, rules) => {
    const next = rulesByVersion.map(([number]) => number).find((number) => number > since);
    for (let version = since; version < (next ?? latestLogVersion + 1); version += 1)
      expect(formatRules(version)).toBe(rules);
  });
});

function formatRules(logVersion: number): string {
  return getPawlRules(logVersion)
    .map(({ id, thresholds: { advise, block, ask = null, stop } }) =>
      [id, ...[advise, block, ask, stop].map((value) => value ?? '-')].join(' '),
    )
    .join(', ');
}

describe('a session', () => {
  it('is created with the latest log version, and keeps it', () => {
    expect(createSession(options).logVersion).toBe(latestLogVersion);
    const older = createSession({ ...options, logVersion: 0 });
    const events = runEvents(
      older,
      phaseStarted(1, 'Begin.'),
      modelReplied('Done.'),
      pauseRequested(),
      cancelRequested(),
    ).events;
    expect(Object.hasOwn(replay(older, events), 'behaviour')).toBe(false);
    expect(replay(createSession(options), events).logVersion).toBe(latestLogVersion);
  });

  it('with an unknown log version is not created', () => {
    const message = /^Cannot create the session: its log version is 99; this release supports 0 to \d+\./;
    expect(() => createSession({ ...options, logVersion: 99 })).toThrow(message);
  });

  it('has a problem if its log version is neither absent nor a known number', () => {
    const known = fc.constantFrom(
      undefined,
      ...Array.from({ length: latestLogVersion + 1 }, (_, number) => number),
    );
    fc.assert(fc.property(known, (logVersion) => findLogVersionProblem({ logVersion }) === null));
    const other = fc
      .oneof(fc.anything(), fc.double(), fc.integer())
      .filter((value) => !isKnownVersion(value));
    fc.assert(fc.property(other, (logVersion) => findLogVersionProblem({ logVersion }) !== null));
    expect(findLogVersionProblem({ logVersion: '1' })).toContain('is not a number');
  });
});

describe('a phase that failed while work was in progress', () => {
  const working = pausableStateNames.filter((name) => name !== 'waitingForUser');

  describe.each(working)('in %s', (name) => {
    const failed = (...input: Parameters<typeof createVersionedSession>) =>
      runEvents(
        createSampleRun(createVersionedSession(...input), name),
        phaseStarted(7),
        phaseCompleted(false),
      );

    it('ends the session when the work is canceled', () => {
      const run = runEvents(failed(1), cancelRequested());
      expect(requireTurn(run, 'halted').haltReason).toEqual({
        kind: 'phase-failed',
        reason: 'Phase 7 failed',
        rule: null,
      });
      expect(listActionTypes(run)).toEqual(['abort', 'stop']);
      expect(findConversationFaults(getConversation(run.session))).toEqual([]);
    });

    it('ends the session when the work is canceled during a pause', () => {
      const run = runEvents(failed(1), pauseRequested(), cancelRequested());
      expect(requireTurn(run, 'halted').haltReason.kind).toBe('phase-failed');
      expect(listActionTypes(run)).toEqual(['abort', 'stop']);
    });

    it('is dropped with the rest of the agenda in sessions before log version 1', () => {
      expect(runEvents(failed(0), cancelRequested()).session.turn.status).toBe('waitingForUser');
      expect(runEvents(failed(0), pauseRequested(), cancelRequested()).session.turn.status).toBe(
        'waitingForUser',
      );
    });

    it('does not end the session if failed phases do not halt', () => {
      expect(runEvents(failed(1, false), cancelRequested()).session.turn.status).toBe('waitingForUser');
    });
  });

  it('is on the agenda of every state that has one, and of no other', () => {
    for (const name of pausableStateNames) {
      const run = runEvents(
        createSampleRun(createVersionedSession(1), name),
        phaseStarted(7),
        verdictReached('advise'),
      );
      expect(getAgenda(run.session.turn).phaseChanges > 0).toBe(name !== 'waitingForUser');
      expect(getAgenda(runEvents(run, pauseRequested()).session.turn)).toEqual(getAgenda(run.session.turn));
    }
  });

  it('ends the session when an invalid event cancels the work', () => {
    const session = createProfileSession('loom', {
      settings: { haltOnFailedPhase: true, onInvalidEvent: 'reset' },
    });
    const run = runEvents(session, phaseStarted(1, 'Begin.'), phaseCompleted(false), { type: 'retry-due' });
    expect(requireTurn(run, 'halted').haltReason.kind).toBe('phase-failed');
  });
});
