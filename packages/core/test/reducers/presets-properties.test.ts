import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSession, toDurableSession, replay, step, type GovernorSettings } from '../../src/index.ts';
import { successOutcome } from '../helpers/event-builders.ts';
import { chooseStubbornEvent } from '../helpers/choose-plausible-event.ts';
import { listDurableEvents, createWalkArbitrary } from '../helpers/random-walk.ts';

const seedGovernors = fc.constantFrom<GovernorSettings>(
  { preset: 'nexora', rules: {} },
  {
    preset: 'nexora',
    rules: {},
    config: { stuck_threshold: 1, no_progress_window: 3, progress_check_interval: 1 },
  },
  { preset: 'nexora-lenient', rules: {} },
  { preset: 'savant', rules: {} },
  {
    preset: 'savant',
    rules: {},
    config: { policy: 'advise-once-then-force', search_tools: ['read', 'search'] },
  },
);

const seedWalks = fc
  .tuple(seedGovernors, fc.constantFrom('ignore' as const, 'refuse' as const, 'reset' as const))
  .chain(([governor, onInvalidEvent]) => {
    const settings = { governor, onInvalidEvent };
    return fc.oneof(
      createWalkArbitrary({ profile: 'pawl', settings }),
      createWalkArbitrary({ profile: 'pawl', settings, choose: chooseStubbornEvent }),
    );
  });

describe('any event sequence under the tracker presets', () => {
  it('replaying the log gives the same session, which is plain JSON [RX-07]', () => {
    let found = 0;
    fc.assert(
      fc.property(seedWalks, (walk) => {
        const live = toDurableSession(walk.end);
        expect(toDurableSession(replay(walk.start, listDurableEvents(walk)))).toEqual(live);
        expect(JSON.parse(JSON.stringify(live))).toEqual(live);
        found += walk.steps
          .flatMap(({ after }) => after.notes)
          .filter(({ type }) => type === 'verdict').length;
      }),
      { numRuns: 150 },
    );
    expect(found).toBeGreaterThan(20);
  });

  it('the tracker observes only events that the turn accepts', () => {
    fc.assert(
      fc.property(seedWalks, ({ start, steps }) => {
        for (const { before, after } of steps) {
          if (start.settings.onInvalidEvent === 'reset' || after.session.seq !== before.seq) continue;
          expect(after.session.governor).toEqual(before.governor);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('every verdict refers to past events', () => {
    fc.assert(
      fc.property(seedWalks, ({ steps }) => {
        for (const { before, event, after } of steps) {
          for (const note of after.notes) {
            if (note.type !== 'verdict' || event.type === 'verdict-reached') continue;
            const seqs = note.verdict.evidence;
            expect(seqs.length).toBeGreaterThan(0);
            expect(seqs.every((seq) => seq >= 1 && seq <= before.seq + 1)).toBe(true);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it.each(['nexora', 'savant'] as const)(
    '%s has the same state size after ten thousand events as after five',
    (preset) => {
      const config = { enable: preset !== 'savant' };
      const governor = { preset, rules: {}, config };
      let session = createSession({ id: 's', at: 0, settings: { governor } });
      session = step(session, { type: 'user-message', at: 0, text: 'go' }).session;
      const size = (): number => JSON.stringify(session.governor).length;
      const work = (from: number): number => {
        for (let index = from; index < from + 2_500; index += 1) {
          const args = { path: `${index}.go`, query: `${index}` };
          const calls = [{ id: `${index}`, tool: index % 3 === 0 ? 'context.fts_search' : 'edit', args }];
          session = step(session, { type: 'model-replied', at: index, text: `now ${index}`, calls }).session;
          session = step(session, {
            type: 'tool-finished',
            at: index,
            callId: `${index}`,
            outcome: successOutcome(),
          }).session;
          if (session.turn.status === 'postToolsHook')
            session = step(session, { type: 'hooks-finished', at: index, actionTaken: false }).session;
        }
        return size();
      };
      const before = work(10_000);
      expect(work(20_000)).toBeLessThan(before * 1.05);
      expect(session.governor.tracker?.state.ledger.callsEnded).toBe(5_000);
    },
  );
});
