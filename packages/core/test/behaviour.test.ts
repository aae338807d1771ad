import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { behaviourFault, behaviours, isAtLeast, newestBehaviour } from '../src/behaviour.ts';
import { conversationOf, createSession, replay, type Session, type SessionOptions } from '../src/index.ts';
import { agendaOf } from '../src/turn/agenda.ts';
import { cancels, endsPhase, judged, pauses, replies, startsPhase } from './helpers/happenings.ts';
import { faultsIn } from './helpers/history.ts';
import { heldNames, sample } from './helpers/samples.ts';
import { actionTypes, sessionOf, tell, turnIn } from './helpers/tell.ts';

const options: SessionOptions = { id: 's', at: 0 };

function isKnown(value: unknown): boolean {
  return (
    value === undefined || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= newestBehaviour)
  );
}

function begin(behaviour: number, haltOnFailedPhase = true): Session {
  return sessionOf('pawl', { behaviour, settings: { haltOnFailedPhase } });
}

describe('behaviours', () => {
  it('are numbered from 1 on, without a gap and none twice', () => {
    const numbers = Object.values(behaviours).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(newestBehaviour).toBe(numbers.at(-1));
  });

  it('are in the table of docs/replay.md, in this order', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/replay.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (\d+) +\| `(\w+)`/gm)].map(([, number, name]) => `${number} ${name}`);
    expect(rows).toEqual(Object.entries(behaviours).map(([name, { number }]) => `${number} ${name}`));
  });

  it('are those of a session that was begun with them or a newer one', () => {
    const behaviour = { number: 3, why: 'for this test' };
    const born = [{}, { behaviour: 0 }, { behaviour: 2 }, { behaviour: 3 }, { behaviour: 4 }];
    expect(born.map((session) => isAtLeast(session, behaviour))).toEqual([false, false, false, true, true]);
  });
});

describe('a session', () => {
  it('is born with the newest behaviour, and keeps the one it has', () => {
    expect(createSession(options).behaviour).toBe(newestBehaviour);
    const older = createSession({ ...options, behaviour: 0 });
    const events = tell(older, startsPhase(1, 'Begin.'), replies('Done.'), pauses(), cancels()).events;
    expect(Object.hasOwn(replay(older, events), 'behaviour')).toBe(false);
    expect(replay(createSession(options), events).behaviour).toBe(newestBehaviour);
  });

  it('of a behaviour nobody knows is not made', () => {
    const message =
      /^There can be no such session: its behaviour is 99, and this version knows those from 0 to \d+\./;
    expect(() => createSession({ ...options, behaviour: 99 })).toThrow(message);
  });

  it('has a fault if its behaviour is anything but none or a known number', () => {
    const known = fc.constantFrom(
      undefined,
      ...Array.from({ length: newestBehaviour + 1 }, (_, number) => number),
    );
    fc.assert(fc.property(known, (behaviour) => behaviourFault({ behaviour }) === null));
    const other = fc.oneof(fc.anything(), fc.double(), fc.integer()).filter((value) => !isKnown(value));
    fc.assert(fc.property(other, (behaviour) => behaviourFault({ behaviour }) !== null));
    expect(behaviourFault({ behaviour: '1' })).toContain('its behaviour is no number');
  });
});

describe('a phase that failed in the midst of work', () => {
  const working = heldNames.filter((name) => name !== 'waitingForUser');

  describe.each(working)('in %s', (name) => {
    const failed = (...given: Parameters<typeof begin>) =>
      tell(sample(begin(...given), name), startsPhase(7), endsPhase(false));

    it('ends the session when the work is called off', () => {
      const told = tell(failed(1), cancels());
      expect(turnIn(told, 'halted').why).toEqual({
        kind: 'phase-failed',
        reason: 'Phase 7 failed',
        rule: null,
      });
      expect(actionTypes(told)).toEqual(['abort', 'stop']);
      expect(faultsIn(conversationOf(told.session))).toEqual([]);
    });

    it('ends the session when the work is called off during a pause', () => {
      const told = tell(failed(1), pauses(), cancels());
      expect(turnIn(told, 'halted').why.kind).toBe('phase-failed');
      expect(actionTypes(told)).toEqual(['abort', 'stop']);
    });

    it('is dropped with the rest of the agenda where sessions began before behaviour 1', () => {
      expect(tell(failed(0), cancels()).session.turn.status).toBe('waitingForUser');
      expect(tell(failed(0), pauses(), cancels()).session.turn.status).toBe('waitingForUser');
    });

    it('does not end the session where failed phases do not', () => {
      expect(tell(failed(1, false), cancels()).session.turn.status).toBe('waitingForUser');
    });
  });

  it('is on the agenda of every state that can have one, and of no other', () => {
    for (const name of heldNames) {
      const told = tell(sample(begin(1), name), startsPhase(7), judged('advise'));
      expect(agendaOf(told.session.turn).phaseChanges > 0).toBe(name !== 'waitingForUser');
      expect(agendaOf(tell(told, pauses()).session.turn)).toEqual(agendaOf(told.session.turn));
    }
  });

  it('ends the session too when an event that does not fit calls off the work', () => {
    const session = sessionOf('loom', { settings: { haltOnFailedPhase: true, onInvalidEvent: 'reset' } });
    const told = tell(session, startsPhase(1, 'Begin.'), endsPhase(false), { type: 'retry-due' });
    expect(turnIn(told, 'halted').why.kind).toBe('phase-failed');
  });
});
