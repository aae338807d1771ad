import { describe, expect, it } from 'vitest';
import type { SavantConfig, SavantState } from '../../src/tracker/savant.ts';
import { recordSearch, createObservedTracker, type ObservedTracker } from './observed-tracker.ts';

const savantSearchToolNames = ['context.fts_search', 'context.memory_search'];

/** What each state allows, what may follow it, and how many milliseconds it may last; the ids are of the rows. */
const savantStateTable = [
  {
    state: 'INIT',
    allows: [],
    next: 'SEARCHING DECIDING FINISHING',
    limitMs: null,
    ids: '[SAV-74, SAV-82..84, RS-08]',
  },
  {
    state: 'SEARCHING',
    allows: savantSearchToolNames,
    next: 'ANALYZING STUCK_SEARCH FINISHING',
    limitMs: 60_000,
    ids: '[SAV-75, SAV-76, SAV-85..87, RS-15]',
  },
  {
    state: 'ANALYZING',
    allows: [],
    next: 'DECIDING STUCK_ANALYZE FINISHING',
    limitMs: 30_000,
    ids: '[SAV-77, SAV-80, SAV-89..91]',
  },
  {
    state: 'DECIDING',
    allows: ['*', 'finish'],
    next: 'SEARCHING FINISHING STUCK_DECIDE',
    limitMs: 45_000,
    ids: '[SAV-79, SAV-92..94]',
  },
  { state: 'STUCK_SEARCH', allows: ['finish'], next: 'FINISHING', limitMs: 10_000, ids: '[SAV-78, SAV-96]' },
  { state: 'STUCK_ANALYZE', allows: ['finish'], next: 'FINISHING', limitMs: 10_000, ids: '[SAV-80, SAV-97]' },
  { state: 'STUCK_DECIDE', allows: ['finish'], next: 'FINISHING', limitMs: 10_000, ids: '[SAV-98]' },
  { state: 'FINISHING', allows: [], next: '', limitMs: 5_000, ids: '[SAV-81, SAV-99, RS-09]' },
] as const;

const savantStateNames = savantStateTable.map(({ state }) => state);
const savantPathsToState: { readonly [State in SavantState]: readonly SavantState[] } = {
  INIT: [],
  SEARCHING: ['SEARCHING'],
  ANALYZING: ['SEARCHING', 'ANALYZING'],
  DECIDING: ['DECIDING'],
  STUCK_SEARCH: ['SEARCHING', 'STUCK_SEARCH'],
  STUCK_ANALYZE: ['SEARCHING', 'ANALYZING', 'STUCK_ANALYZE'],
  STUCK_DECIDE: ['DECIDING', 'STUCK_DECIDE'],
  FINISHING: ['FINISHING'],
};

function createSavantTrackerInState(
  state: SavantState,
  config: Partial<SavantConfig> = {},
): ObservedTracker<'savant'> {
  const watch = createObservedTracker('savant', { config });
  for (const each of savantPathsToState[state]) watch.tracker.transitionTo(each);
  return watch;
}

describe('the table of states', () => {
  it.each(savantStateTable)('lists the tools and successors of $state $ids', ({ state, allows, next }) => {
    const { tracker } = createSavantTrackerInState(state);
    expect(tracker.state).toBe(state);
    expect(tracker.allowedActions()).toEqual(allows);
    expect(tracker.nextStates()).toEqual(next.split(' ').filter(Boolean));
  });

  it.each(savantStateTable)('has the time limit of $state $ids', ({ state, limitMs }) => {
    expect(createSavantTrackerInState(state).tracker.summary().timeoutMs).toBe(limitMs);
  });

  it.each([
    ['SEARCHING', 60_000],
    ['ANALYZING', 30_000],
    ['DECIDING', 45_000],
  ] as const)(
    'lets %s last %i ms and no longer [SAV-10, SAV-87, SAV-91, SAV-94, RS-17]',
    (state, limitMs) => {
      const { tracker, clock } = createSavantTrackerInState(state);
      clock.at += limitMs;
      expect(tracker.tick().stuck).toBe(false);
      clock.at += 1;
      expect(tracker.tick()).toMatchObject({ stuck: true, rule: 'timeout' });
      expect(tracker.state).toMatch(/^STUCK_/);
    },
  );

  it('has no time limit for the initial and the final state [RS-08, RS-09]', () => {
    for (const state of ['INIT', 'FINISHING'] as const) {
      const { tracker, clock } = createSavantTrackerInState(state);
      clock.at += 1_000_000;
      expect(tracker.tick().stuck).toBe(false);
    }
  });

  it.each(savantStateNames.flatMap((from) => savantStateNames.map((to) => ({ from, to }))))(
    'allows $to after $from exactly if the table says so [SAV-07, SAV-110, RS-02, RS-10, RX-03]',
    ({ from, to }) => {
      const { tracker } = createSavantTrackerInState(from);
      const isThere = savantStateTable.some(
        ({ state, next }) => state === from && next.split(' ').includes(to),
      );
      const { ok, state, error } = tracker.transitionTo(to);
      expect([ok, state, error === null]).toEqual([isThere, isThere ? to : from, isThere]);
    },
  );

  it('has no transition from searching to deciding, from analyzing to searching, or back to the start [SAV-07, SAV-110]', () => {
    expect(createSavantTrackerInState('SEARCHING').tracker.transitionTo('DECIDING').error).toBe(
      'DECIDING cannot follow SEARCHING: it is followed by ANALYZING, STUCK_SEARCH, FINISHING',
    );
    expect(createSavantTrackerInState('ANALYZING').tracker.transitionTo('SEARCHING').ok).toBe(false);
    for (const state of savantStateNames)
      expect(createSavantTrackerInState(state).tracker.transitionTo('INIT').ok).toBe(false);
  });

  it('allows deciding to return to analyzing only if it is lenient [SAV-129, RS-10]', () => {
    expect(createSavantTrackerInState('DECIDING').tracker.transitionTo('ANALYZING').ok).toBe(false);
    const { tracker } = createSavantTrackerInState('DECIDING', { lenient: true });
    expect(tracker.nextStates()).toContain('ANALYZING');
    expect(tracker.transitionTo('ANALYZING')).toEqual({ ok: true, state: 'ANALYZING', error: null });
  });

  it('can have other timeouts', () => {
    const { tracker, clock } = createSavantTrackerInState('SEARCHING', { timeoutsMs: { SEARCHING: 10 } });
    clock.at += 11;
    expect(tracker.stuck().reason).toBe('SEARCHING has lasted 11ms of at most 10ms');
  });
});

describe('the state', () => {
  it.each([
    ['INIT', 'context.fts_search', 'SEARCHING'],
    ['INIT', 'context.memory_search', 'SEARCHING'],
    ['INIT', 'read_file', 'DECIDING'],
    ['INIT', 'finish', 'FINISHING'],
    ['SEARCHING', 'context.fts_search', 'SEARCHING'],
    ['SEARCHING', 'finish', 'FINISHING'],
    ['ANALYZING', 'context.fts_search', 'SEARCHING'],
    ['ANALYZING', 'read_file', 'DECIDING'],
    ['ANALYZING', 'finish', 'FINISHING'],
    ['DECIDING', 'context.fts_search', 'SEARCHING'],
    ['DECIDING', 'read_file', 'DECIDING'],
    ['DECIDING', 'finish', 'FINISHING'],
    ['STUCK_SEARCH', 'finish', 'FINISHING'],
  ] as const)(
    'follows from the tool: in %s, %s leads to %s [SAV-19, SAV-67, SAV-118, RS-15]',
    (from, tool, to) => {
      const { tracker } = createSavantTrackerInState(from);
      expect(tracker.recordToolCall({ tool })).toMatchObject({ ok: true, state: to });
    },
  );

  it('passes through deciding if a tool is chosen while analyzing [SAV-39, RS-11]', () => {
    const { tracker } = createSavantTrackerInState('ANALYZING');
    recordSearch(tracker, 'x');
    expect(tracker.history().slice(-2)).toMatchObject([
      { from: 'ANALYZING', to: 'DECIDING', cause: 'decision' },
      { from: 'DECIDING', to: 'SEARCHING', cause: 'context.fts_search' },
    ]);
  });

  it.each([
    ['SEARCHING', 'read_file'],
    ['STUCK_SEARCH', 'context.fts_search'],
    ['FINISHING', 'context.fts_search'],
    ['FINISHING', 'finish'],
  ] as const)('stays %s if %s is not allowed there, and reports it [SAV-127, RX-03]', (from, tool) => {
    const { tracker } = createSavantTrackerInState(from);
    const result = tracker.recordToolCall({ tool, success: true });
    expect(result).toMatchObject({ ok: false, state: from, call: 1 });
    expect(result.error).toContain(`${tool} is not allowed while ${from}`);
    expect(tracker.progress().calls).toBe(1);
  });

  it('is analyzing after a reply about the results [SAV-38, SAV-77]', () => {
    const { tracker } = createSavantTrackerInState('SEARCHING');
    tracker.recordMessage('Two files look right.');
    expect(tracker.state).toBe('ANALYZING');
    tracker.recordMessage('The first more so.');
    expect(tracker.state).toBe('ANALYZING');
    for (const state of ['INIT', 'DECIDING', 'FINISHING'] as const) {
      const other = createSavantTrackerInState(state).tracker;
      other.recordMessage('Hm.');
      expect(other.state).toBe(state);
    }
  });
});
