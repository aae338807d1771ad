import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/index.ts';
import {
  allows,
  call,
  cancels,
  denies,
  finishes,
  judged,
  pauses,
  replies,
  resumes,
  says,
  steers,
  writes,
} from '../helpers/happenings.ts';
import { actionOf, refusal, sessionOf, tell, turnIn, type Happening, type Told } from '../helpers/tell.ts';

const hourMs = 3_600_000;

const session = (behaviour?: number): Session =>
  sessionOf('pawl', {
    ...(behaviour !== undefined && { behaviour }),
    settings: { budgets: { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: 1_000 } },
  });

const late = (told: Told, happening: Happening, afterMs = hourMs): Told =>
  tell(told, { ...happening, at: told.at + afterMs });

const asking = (from: Session = session()): Told =>
  tell(from, says(), replies('', call('a', 'read', 'ask'), call('b', 'read', 'ask')));

describe('the time of a session with a budget', () => {
  it('stands still while a person is asked for permission', () => {
    const decided = late(late(asking(), allows('a')), allows('b'));
    expect(actionOf(tell(decided, finishes('a'), finishes('b')), 'ask-model').tools).toBe(true);
    expect(decided.session.spent).toEqual({ ...decided.session.spent, workingSince: 10 + 2 * hourMs });
    expect(decided.session.spent).not.toHaveProperty('waitingSince');
  });

  it('has not run out for a model that is asked right after a denial', () => {
    const denied = late(tell(asking(), allows('a')), denies('b'));
    expect(actionOf(tell(denied, finishes('a')), 'ask-model').tools).toBe(true);
    const none = late(tell(session(), says(), replies('', call('a', 'read', 'ask'))), denies('a'));
    expect(actionOf(none, 'ask-model').tools).toBe(true);
  });

  it('stands still during a pause, whatever comes in meanwhile', () => {
    const paused = tell(session(), says(), replies('', call('a')), pauses());
    const resumed = late(late(late(paused, finishes('a')), steers()), resumes());
    expect(resumed.session.spent.workingSince).toBe(10 + 3 * hourMs);
    expect(actionOf(resumed, 'ask-model').tools).toBe(true);
  });

  it('is not counted out twice where a permission is waited for during a pause', () => {
    const paused = late(asking(), pauses());
    const decided = late(late(late(paused, allows('a')), allows('b')), resumes());
    expect(decided.session.spent.workingSince).toBe(10 + 4 * hourMs);
    expect(turnIn(decided, 'executingTools').executions).toHaveLength(2);
  });

  it('runs on while the agent works, on both sides of the wait', () => {
    const decided = late(late(tell(session(), says()), replies('', call('a', 'read', 'ask')), 600), allows());
    expect(actionOf(late(decided, finishes(), 300), 'ask-model').tools).toBe(true);
    expect(actionOf(late(decided, finishes(), 400), 'ask-model').tools).toBe(false);
  });

  it('is not moved by what is refused, nor by what is only shown', () => {
    const before = asking();
    const refused = late(before, says('are you there?'));
    expect(refusal(refused)).toBe('permission is being asked');
    expect(refused.session).toBe(before.session);
    const paused = tell(session(), says(), pauses());
    expect(late(paused, writes()).session.spent).toBe(paused.session.spent);
  });

  it('starts anew with the next message, however the wait ended', () => {
    const called = late(asking(), cancels());
    expect(called.session.spent).not.toHaveProperty('waitingSince');
    expect(late(called, says()).session.spent.workingSince).toBe(called.at + hourMs);
  });

  it('goes on during a wait in sessions that began before behaviour 4', () => {
    const decided = late(late(asking(session(3)), allows('a')), allows('b'));
    expect(decided.session.spent.workingSince).toBe(10);
    expect(actionOf(tell(decided, finishes('a'), finishes('b')), 'ask-model').tools).toBe(false);
  });

  it('needs no clock where there is no budget', () => {
    const free = tell(sessionOf('pawl'), says(), replies('', call('a', 'read', 'ask')), judged('advise'));
    expect(free.session.spent).toBe(sessionOf('pawl').spent);
  });
});
