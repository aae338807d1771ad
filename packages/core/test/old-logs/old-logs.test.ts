import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventTypes, step, type EventType, type VerdictResponse, type Session } from '../../src/index.ts';
import { builtInProfiles } from '../../src/profiles-entry.ts';
import { latestLogVersion } from '../../src/session/log-version.ts';
import { turnChart } from '../../src/turn/states/turn-chart.ts';
import { createCall, toolFinished, modelReplied, userMessage } from '../helpers/event-builders.ts';
import { createProfileSession } from '../helpers/run-events.ts';
import {
  replayRecordedLog,
  parseRecordedLog,
  getLogPath,
  readRecordedLog,
  recordScenario,
  listRecordedNames,
  type RecordedLog,
} from './log-file.ts';
import { recordMissingLogs } from './record-missing-logs.ts';
import { createScenario } from './log-scenario.ts';
import { logScenarios } from './log-scenarios.ts';

/*
 * Logs recorded by older versions. If one of these tests fails, a stored session would change on replay: do not change
 * the log, and give the code change a log version. docs/replay.md explains how.
 */
const recordedLogs = listRecordedNames().map((name) => readRecordedLog(name));

const roundTripJson = (session: Session): Session => JSON.parse(JSON.stringify(session)) as Session;

describe.each(recordedLogs)('the log $name', (log) => {
  it('replays to the recorded session after every event', () => {
    expect(replayRecordedLog(log).difference).toBeNull();
  });

  it('replays to the same session with a JSON round trip before every event', () => {
    expect(replayRecordedLog(log, roundTripJson).difference).toBeNull();
  });
});

describe('the recorded logs', () => {
  it('match the scenarios: run record-missing-logs.ts in this folder for a new one', () => {
    expect(listRecordedNames()).toEqual(logScenarios.map(({ name }) => name).toSorted());
  });

  it('contain every event type, accepted at least once', () => {
    const accepted = new Set(recordedLogs.flatMap(listTakenTypes));
    expect(eventTypes.filter((type) => !accepted.has(type))).toEqual([]);
  });

  it('reach every state that is not transient, and pause in each that can be paused', () => {
    const seen = new Set(recordedLogs.flatMap((log) => log.entries.map(({ status }) => status)));
    const stableStates = turnChart.states.filter(({ kind }) => kind !== 'passing');
    expect(new Set(stableStates.map(({ name }) => name))).toEqual(seen);
    const pausable = stableStates.filter(({ transitions }) =>
      transitions.some(({ on }) => on === 'pause-requested'),
    );
    expect(new Set(recordedLogs.flatMap(listHeldStates))).toEqual(new Set(pausable.map(({ name }) => name)));
  });

  it('cover every profile', () => {
    expect(new Set(recordedLogs.map(({ session }) => session.profile))).toEqual(
      new Set(builtInProfiles.map(({ name }) => name)),
    );
  });

  it('contain verdicts with each response, and sessions that halted for each reason', () => {
    const responses = { advise: 0, block: 0, run: 0, recover: 0, ask: 0, stop: 0, halt: 0 } satisfies {
      readonly [Kind in VerdictResponse['kind']]: 0;
    };
    expect(new Set(recordedLogs.flatMap(listResponseKinds))).toEqual(new Set(Object.keys(responses)));
    expect(new Set(recordedLogs.flatMap(listHaltKinds))).toEqual(
      new Set(['requested', 'stuck', 'budget', 'phase-failed']),
    );
  });

  it('cover every log version', () => {
    const numbers = Array.from({ length: latestLogVersion + 1 }, (_, number) => number);
    expect(new Set(recordedLogs.map(({ session }) => session.logVersion ?? 0))).toEqual(new Set(numbers));
  });
});

describe('recording', () => {
  it('creates the missing logs, and leaves the existing ones unchanged', ({ onTestFinished }) => {
    const into = mkdtempSync(join(tmpdir(), 'pawl-logs-'));
    onTestFinished(() => rmSync(into, { recursive: true }));
    const first = createScenario('first', 'A word.', createProfileSession('loom'), [userMessage()]);
    const second = { ...first, name: 'second' };
    writeFileSync(getLogPath('first', into), 'as it was');
    expect(recordMissingLogs([first, second], into)).toEqual([getLogPath('second', into)]);
    expect(readFileSync(getLogPath('first', into), 'utf8')).toBe('as it was');
    expect(
      replayRecordedLog(parseRecordedLog('second', readFileSync(getLogPath('second', into), 'utf8')))
        .difference,
    ).toBeNull();
    expect(recordMissingLogs([first, second], into)).toEqual([]);
  });
});

describe('a difference', () => {
  const scenario = createScenario('shed', 'A call.', createProfileSession('pawl'), [
    userMessage(),
    modelReplied('', createCall('a')),
    toolFinished('a'),
  ]);
  const log = parseRecordedLog('shed', recordScenario(scenario));

  it('is null for a log recorded just now', () => {
    expect(replayRecordedLog(log)).toMatchObject({ difference: null, end: { seq: 3 } });
  });

  it('names the log, the event, the differing parts, and what to do', () => {
    const other = {
      ...log,
      session: { ...log.session, governor: { ...log.session.governor, recoveries: 1 } },
    };
    const { difference } = replayRecordedLog(other);
    expect(difference).toContain('logs/shed.jsonl, event 1 (user-message): replay gives a different session');
    expect(difference).toContain('Differing parts: governor.');
    expect(difference).toContain('packages/core/src/session/log-version.ts');
    expect(difference).toContain('docs/replay.md');
  });

  it('names the states if they differ', () => {
    const entries = log.entries.map((entry, index) =>
      index === 1 ? { ...entry, event: { ...entry.event, calls: [] } } : entry,
    );
    expect(replayRecordedLog({ ...log, entries }).difference).toContain(
      'event 2 (model-replied): replay gives a different session (executingTools when it was recorded, waitingForUser now)',
    );
  });
});

/** Lists each step of a log with the session before and after it. */
function listLogSteps({ session, entries }: RecordedLog) {
  let before = session;
  return entries.map(({ event }) => {
    const { session: after, notes } = step(before, event);
    const result = { before, event, after, notes };
    before = after;
    return result;
  });
}

function listTakenTypes(log: RecordedLog): readonly EventType[] {
  return listLogSteps(log)
    .filter(({ notes }) => notes.every(({ type }) => type !== 'refused'))
    .map(({ event }) => event.type);
}

function listHeldStates(log: RecordedLog): readonly string[] {
  return listLogSteps(log).flatMap(({ after: { turn } }) =>
    turn.status === 'paused' ? [turn.held.status] : [],
  );
}

function listResponseKinds(log: RecordedLog): readonly string[] {
  return listLogSteps(log).flatMap(({ notes }) =>
    notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict.response.kind] : [])),
  );
}

function listHaltKinds(log: RecordedLog): readonly string[] {
  return listLogSteps(log).flatMap(({ after: { turn } }) =>
    turn.status === 'halted' ? [turn.haltReason.kind] : [],
  );
}
