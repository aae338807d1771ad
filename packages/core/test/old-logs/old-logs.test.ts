import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventTypes, profiles, step, type EventType, type Response, type Session } from '../../src/index.ts';
import { newestBehaviour } from '../../src/behaviour.ts';
import { turnChart } from '../../src/turn/chart.ts';
import { call, finishes, replies, says } from '../helpers/happenings.ts';
import { sessionOf } from '../helpers/tell.ts';
import { follow, parseLog, pathOf, readLog, record, recordedNames, type RecordedLog } from './log-file.ts';
import { recordMissing } from './record.ts';
import { tale } from './tale.ts';
import { tales } from './tales.ts';

/*
 * Logs as older versions left them. When one of these tests fails, a session that somebody keeps would come back changed:
 * leave the log as it is and give the change a number. docs/replay.md tells how.
 */
const logs = recordedNames().map((name) => readLog(name));

const throughJson = (session: Session): Session => JSON.parse(JSON.stringify(session)) as Session;

describe.each(logs)('the log $name', (log) => {
  it('gives the same session after every event as when it was recorded', () => {
    expect(follow(log).difference).toBeNull();
  });

  it('gives the same from a session that was written down and read again before any event', () => {
    expect(follow(log, throughJson).difference).toBeNull();
  });
});

describe('the recorded logs', () => {
  it('are those of the tales, each of which is recorded: run record.ts in this folder for a new one', () => {
    expect(recordedNames()).toEqual(tales.map(({ name }) => name).toSorted());
  });

  it('have every type of event, taken in a state where it counts', () => {
    const taken = new Set(logs.flatMap(takenTypes));
    expect(eventTypes.filter((type) => !taken.has(type))).toEqual([]);
  });

  it('come to every state that a session can rest in, and pause in each that can be paused', () => {
    const seen = new Set(logs.flatMap((log) => log.entries.map(({ status }) => status)));
    const resting = turnChart.states.filter(({ kind }) => kind !== 'passing');
    expect(new Set(resting.map(({ name }) => name))).toEqual(seen);
    const pausable = resting.filter(({ moves }) => moves.some(({ on }) => on === 'pause-requested'));
    expect(new Set(logs.flatMap(heldStates))).toEqual(new Set(pausable.map(({ name }) => name)));
  });

  it('are of every profile', () => {
    expect(new Set(logs.map(({ session }) => session.profile))).toEqual(
      new Set(profiles.map(({ name }) => name)),
    );
  });

  it('have verdicts with each response, and sessions that ended for each reason', () => {
    const responses = { advise: 0, refuse: 0, run: 0, recover: 0, ask: 0, finish: 0, halt: 0 } satisfies {
      readonly [Kind in Response['kind']]: 0;
    };
    expect(new Set(logs.flatMap(responsesIn))).toEqual(new Set(Object.keys(responses)));
    expect(new Set(logs.flatMap(endsIn))).toEqual(new Set(['requested', 'stuck', 'budget', 'phase-failed']));
  });

  it('are of every behaviour there has been', () => {
    const numbers = Array.from({ length: newestBehaviour + 1 }, (_, number) => number);
    expect(new Set(logs.map(({ session }) => session.behaviour ?? 0))).toEqual(new Set(numbers));
  });
});

describe('recording', () => {
  it('makes the logs that are missing, and leaves those that are there as they are', ({ onTestFinished }) => {
    const into = mkdtempSync(join(tmpdir(), 'pawl-logs-'));
    onTestFinished(() => rmSync(into, { recursive: true }));
    const first = tale('first', 'A word.', sessionOf('loom'), [says()]);
    const second = { ...first, name: 'second' };
    writeFileSync(pathOf('first', into), 'as it was');
    expect(recordMissing([first, second], into)).toEqual([pathOf('second', into)]);
    expect(readFileSync(pathOf('first', into), 'utf8')).toBe('as it was');
    expect(follow(parseLog('second', readFileSync(pathOf('second', into), 'utf8'))).difference).toBeNull();
    expect(recordMissing([first, second], into)).toEqual([]);
  });
});

describe('a difference', () => {
  const told = tale('shed', 'A call.', sessionOf('pawl'), [says(), replies('', call('a')), finishes('a')]);
  const log = parseLog('shed', record(told));

  it('is none in what was recorded just now', () => {
    expect(follow(log)).toMatchObject({ difference: null, end: { seq: 3 } });
  });

  it('is told with the log, the event, what differs, and what to do about it', () => {
    const other = {
      ...log,
      session: { ...log.session, governor: { ...log.session.governor, recoveries: 1 } },
    };
    const { difference } = follow(other);
    expect(difference).toContain(
      'logs/shed.jsonl, event 1 (user-message): replaying it gives another session',
    );
    expect(difference).toContain('What differs: governor.');
    expect(difference).toContain('packages/core/src/behaviour.ts');
    expect(difference).toContain('docs/replay.md');
  });

  it('is told with the states where they are not the same', () => {
    const entries = log.entries.map((entry, index) =>
      index === 1 ? { ...entry, event: { ...entry.event, calls: [] } } : entry,
    );
    expect(follow({ ...log, entries }).difference).toContain(
      'event 2 (model-replied): replaying it gives another session (executingTools when it was recorded, waitingForUser now)',
    );
  });
});

/** What each step of a log came from and led to. */
function stepsOf({ session, entries }: RecordedLog) {
  let before = session;
  return entries.map(({ event }) => {
    const { session: after, notes } = step(before, event);
    const taken = { before, event, after, notes };
    before = after;
    return taken;
  });
}

function takenTypes(log: RecordedLog): readonly EventType[] {
  return stepsOf(log)
    .filter(({ notes }) => notes.every(({ type }) => type !== 'refused'))
    .map(({ event }) => event.type);
}

function heldStates(log: RecordedLog): readonly string[] {
  return stepsOf(log).flatMap(({ after: { turn } }) => (turn.status === 'paused' ? [turn.held.status] : []));
}

function responsesIn(log: RecordedLog): readonly string[] {
  return stepsOf(log).flatMap(({ notes }) =>
    notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict.response.kind] : [])),
  );
}

function endsIn(log: RecordedLog): readonly string[] {
  return stepsOf(log).flatMap(({ after: { turn } }) => (turn.status === 'halted' ? [turn.why.kind] : []));
}
