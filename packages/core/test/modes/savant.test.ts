import { describe, expect, it } from 'vitest';
import {
  listAllowedTools,
  isTerminalMode,
  listNextStates,
  listOfferedTools,
} from '../../src/modes/transition-mode.ts';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import { createSavantChart } from '../../src/modes/charts/savant.ts';
import { startMode, findReachedModeLimit, getModeTimeLimit } from '../../src/modes/mode.ts';
import { getModeState } from '../../src/modes/mode-chart.ts';
import {
  createModeInState,
  createMoveRequest,
  createToolReply,
  createToolResults,
  textReply,
  applyModePayload,
  tickPayload,
  walkModeChart,
} from './walk-mode-chart.ts';

const chart = modeCharts.savant;
const searchToolNames = ['context.fts_search', 'context.memory_search'];
const tools = [...searchToolNames, 'read_file', 'finish'];

/** The whole table: what each state allows, what follows it, how long it may last; the ids are of the rows. */
const savantTable = [
  {
    state: 'INIT',
    allows: [],
    offers: tools,
    next: 'SEARCHING DECIDING FINISHING',
    limitMs: null,
    ids: '[SAV-74, SAV-82..84, RS-08]',
  },
  {
    state: 'SEARCHING',
    allows: searchToolNames,
    offers: tools,
    next: 'ANALYZING STUCK_SEARCH FINISHING',
    limitMs: 60_000,
    ids: '[SAV-75, SAV-76, SAV-85..87, RS-15]',
  },
  {
    state: 'ANALYZING',
    allows: [],
    offers: tools,
    next: 'DECIDING STUCK_ANALYZE FINISHING',
    limitMs: 30_000,
    ids: '[SAV-77, SAV-80, SAV-89..91]',
  },
  {
    state: 'DECIDING',
    allows: tools,
    offers: tools,
    next: 'SEARCHING FINISHING STUCK_DECIDE',
    limitMs: 45_000,
    ids: '[SAV-79, SAV-92..94]',
  },
  {
    state: 'STUCK_SEARCH',
    allows: ['finish'],
    offers: ['finish'],
    next: 'FINISHING',
    limitMs: 10_000,
    ids: '[SAV-78, SAV-96]',
  },
  {
    state: 'STUCK_ANALYZE',
    allows: ['finish'],
    offers: ['finish'],
    next: 'FINISHING',
    limitMs: 10_000,
    ids: '[SAV-80, SAV-97]',
  },
  {
    state: 'STUCK_DECIDE',
    allows: ['finish'],
    offers: ['finish'],
    next: 'FINISHING',
    limitMs: 10_000,
    ids: '[SAV-98]',
  },
  {
    state: 'FINISHING',
    allows: [],
    offers: [],
    next: '',
    limitMs: 5_000,
    ids: '[SAV-81, SAV-99, RS-09]',
  },
] as const;

const savantTableCells = savantTable.flatMap(({ state: from, next }) =>
  savantTable.map(({ state: to }) => ({ from, to, isThere: next.split(' ').includes(to) })),
);

describe('the savant chart', () => {
  it('has the states of its table and starts in the first [SAV-06, SAV-74]', () => {
    expect(chart.states.map(({ name }) => name)).toEqual(savantTable.map(({ state }) => state));
    expect(startMode(chart, 7)).toMatchObject({ state: 'INIT', enteredAt: 7 });
  });

  it.each(savantTable)(
    'defines what $state allows, offers and leads to $ids',
    ({ state, allows, offers, next }) => {
      const mode = createModeInState(chart, state);
      expect(getModeState(chart, state)?.next.join(' ')).toBe(next);
      expect(listAllowedTools(chart, mode, tools)).toEqual(allows);
      expect(listOfferedTools(chart, mode, tools)).toEqual(offers);
      expect(listNextStates(chart, mode).join(' ')).toBe(
        next
          .split(' ')
          .filter((name) => !name.startsWith('STUCK_'))
          .join(' '),
      );
    },
  );

  it.each(savantTableCells)(
    'lets $to follow $from: $isThere [SAV-07, SAV-110, SAV-119, RS-02, RS-10, RX-03]',
    ({ from, to, isThere }) => {
      const { ok, mode, error, changes } = applyModePayload(
        chart,
        createModeInState(chart, from),
        createMoveRequest(to),
      );
      expect([ok, error === null, mode.state]).toEqual([isThere, isThere, isThere ? to : from]);
      expect(changes).toHaveLength(isThere ? 1 : 0);
    },
  );

  it.each(savantTable)('limits $state to $limitMs ms $ids [SAV-10, RS-07, RS-09, RS-17]', (row) => {
    const mode = createModeInState(chart, row.state);
    expect(getModeTimeLimit(chart, mode)).toBe(row.limitMs);
    expect(findReachedModeLimit(chart, mode, row.limitMs ?? 1e12)).toBeNull();
    const late = findReachedModeLimit(chart, mode, (row.limitMs ?? 1e12) + 1);
    if (row.limitMs === null || row.state === 'FINISHING') expect(late).toBeNull();
    else expect(late).toMatchObject({ limit: 'time', max: row.limitMs, value: row.limitMs + 1 });
  });

  it.each(savantTable)('limits $state to four steps [SAV-09, SAV-70, RS-07, RS-16]', (row) => {
    const four = walkModeChart(
      chart,
      [tickPayload, tickPayload, tickPayload, tickPayload],
      createModeInState(chart, row.state),
    ).mode;
    expect(findReachedModeLimit(chart, four, 0)).toBeNull();
    const five = findReachedModeLimit(chart, applyModePayload(chart, four, tickPayload).mode, 0);
    expect(five?.limit).toBe(row.state === 'FINISHING' ? undefined : 'steps');
  });

  it('counts the steps of a state from its entry [RS-16]', () => {
    const { mode } = walkModeChart(chart, [
      tickPayload,
      tickPayload,
      createToolReply('context.fts_search'),
      tickPayload,
    ]);
    expect(mode).toMatchObject({ state: 'SEARCHING', steps: 1, iterations: 3 });
  });

  it('limits deciding to two consecutive failures, of any kind [SAV-95, RS-06]', () => {
    const deciding = createModeInState(chart, 'DECIDING');
    const failures = [
      { type: 'reply-failed', reason: 'not JSON' } as const,
      createToolResults(false),
      createMoveRequest('ANALYZING'),
    ];
    const { mode } = walkModeChart(chart, failures, deciding);
    expect(findReachedModeLimit(chart, mode, 0)).toMatchObject({ limit: 'failures', max: 3, value: 3 });
    expect(
      walkModeChart(
        chart,
        [
          createToolResults(false),
          createToolResults(false),
          createToolResults(true),
          createToolResults(false),
        ],
        deciding,
      ).mode.failures,
    ).toBe(1);
    expect(findReachedModeLimit(chart, { ...mode, state: 'SEARCHING' }, 0)).toBeNull();
  });

  it('is terminal in FINISHING only [SAV-99]', () => {
    const ends = savantTable.filter(({ state }) => isTerminalMode(chart, createModeInState(chart, state)));
    expect(ends.map(({ state }) => state)).toEqual(['FINISHING']);
  });

  it('allows deciding to return to analyzing only when it is lenient [SAV-129, RS-10]', () => {
    expect(
      applyModePayload(chart, createModeInState(chart, 'DECIDING'), createMoveRequest('ANALYZING')).ok,
    ).toBe(false);
    const lenient = createSavantChart({ lenient: true });
    expect(
      applyModePayload(lenient, createModeInState(lenient, 'DECIDING'), createMoveRequest('ANALYZING')).mode
        .state,
    ).toBe('ANALYZING');
  });

  it('accepts custom search and finish tools [RS-15]', () => {
    const other = createSavantChart({ searchTools: ['grep'], finishTools: ['answer'] });
    expect(applyModePayload(other, startMode(other, 0), createToolReply('grep')).mode.state).toBe(
      'SEARCHING',
    );
    expect(
      applyModePayload(other, startMode(other, 0), createToolReply('context.fts_search')).mode.state,
    ).toBe('DECIDING');
    expect(applyModePayload(other, startMode(other, 0), createToolReply('answer')).mode.state).toBe(
      'FINISHING',
    );
  });
});

describe('a called tool', () => {
  it.each([
    ['INIT', 'context.fts_search', 'SEARCHING'],
    ['INIT', 'context.memory_search', 'SEARCHING'],
    ['INIT', 'read_file', 'DECIDING'],
    ['INIT', 'finish', 'FINISHING'],
    ['SEARCHING', 'context.fts_search', 'SEARCHING'],
    ['SEARCHING', 'finish', 'FINISHING'],
    ['ANALYZING', 'context.fts_search', 'DECIDING SEARCHING'],
    ['ANALYZING', 'read_file', 'DECIDING'],
    ['ANALYZING', 'finish', 'FINISHING'],
    ['DECIDING', 'context.fts_search', 'SEARCHING'],
    ['DECIDING', 'read_file', 'DECIDING'],
    ['DECIDING', 'finish', 'FINISHING'],
    ['STUCK_SEARCH', 'finish', 'FINISHING'],
    ['STUCK_ANALYZE', 'finish', 'FINISHING'],
    ['STUCK_DECIDE', 'finish', 'FINISHING'],
  ] as const)(
    'leads from %s, when it is %s, to %s [SAV-19, SAV-67, SAV-118, RS-11, RS-15]',
    (from, tool, path) => {
      const { ok, mode, changes, refused } = applyModePayload(
        chart,
        createModeInState(chart, from),
        createToolReply(tool),
      );
      expect([ok, refused]).toEqual([true, []]);
      expect(mode.state).toBe(path.split(' ').at(-1));
      expect(changes.map(({ to }) => to).join(' ')).toBe(path === from ? '' : path);
    },
  );

  it.each([
    ['SEARCHING', 'read_file'],
    ['STUCK_SEARCH', 'context.fts_search'],
    ['STUCK_ANALYZE', 'read_file'],
    ['STUCK_DECIDE', 'read_file'],
    ['FINISHING', 'context.fts_search'],
    ['FINISHING', 'finish'],
  ] as const)(
    'stays in %s when %s is not allowed there, and says so [SAV-67, SAV-127, RX-03]',
    (from, tool) => {
      const { ok, mode, error, changes, refused } = applyModePayload(
        chart,
        createModeInState(chart, from),
        createToolReply(tool),
      );
      expect([ok, mode.state, changes, refused]).toEqual([false, from, [], [tool]]);
      expect(error).toContain(from);
      expect(mode.refusal).toBe(from === 'FINISHING' ? null : error);
    },
  );

  it('may be any tool while searching if the reply has text, which counts as the analysis [SAV-38, SAV-77, RS-11]', () => {
    const searching = createModeInState(chart, 'SEARCHING');
    const { ok, changes } = applyModePayload(chart, searching, {
      ...textReply,
      tools: ['read_file'],
    } as typeof textReply);
    expect(ok).toBe(true);
    expect(changes.map(({ to, cause }) => [to, cause])).toEqual([
      ['ANALYZING', 'decision'],
      ['DECIDING', 'read_file'],
    ]);
    expect(
      applyModePayload(chart, searching, { ...textReply, tools: ['context.fts_search'] } as typeof textReply)
        .changes,
    ).toEqual([]);
  });

  it('is refused next to one that leads elsewhere, and the others run', () => {
    const { mode, ok, refused } = applyModePayload(
      chart,
      createModeInState(chart, 'SEARCHING'),
      createToolReply('context.fts_search', 'read_file'),
    );
    expect([mode.state, ok, refused]).toEqual(['SEARCHING', false, ['read_file']]);
    expect(
      applyModePayload(
        chart,
        createModeInState(chart, 'DECIDING'),
        createToolReply('context.fts_search', 'read_file'),
      ),
    ).toMatchObject({
      ok: true,
      changes: [],
      refused: [],
    });
  });

  it('is not refused next to another if text leads to a mode that allows both', () => {
    const reply = { ...textReply, tools: ['context.fts_search', 'read_file'] } as typeof textReply;
    expect(applyModePayload(chart, createModeInState(chart, 'SEARCHING'), reply)).toMatchObject({
      ok: true,
      mode: { state: 'DECIDING' },
      refused: [],
    });
  });

  it('must be the only call if it is a finish tool', () => {
    expect(
      applyModePayload(chart, createModeInState(chart, 'DECIDING'), createToolReply('read_file', 'finish')),
    ).toMatchObject({
      mode: { state: 'DECIDING' },
      ok: false,
      error: 'finish must be the only call of a reply',
      refused: ['finish'],
    });
    expect(
      applyModePayload(
        chart,
        createModeInState(chart, 'STUCK_SEARCH'),
        createToolReply('read_file', 'finish'),
      ),
    ).toMatchObject({
      mode: { state: 'FINISHING' },
      refused: ['read_file'],
    });
  });
});

describe('the search for an architecture', () => {
  it('proceeds step by step until it repeats itself, and finishes [SAV-37..43, SAV-68, SAV-76, SAV-78, SAV-146, RS-11]', () => {
    const { mode, transitions, moves } = walkModeChart(chart, [
      createToolReply('context.fts_search'),
      textReply,
      createToolReply('context.fts_search'),
      createToolReply('context.fts_search'),
      { type: 'stuck-found', cause: 'repeated_query' },
      { type: 'finish-asked', cause: 'stuck_detection' },
    ]);
    expect(transitions.every(({ ok }) => ok)).toBe(true);
    expect(moves.map(({ from, to, cause }) => `${from} → ${to}: ${cause}`)).toEqual([
      'INIT → SEARCHING: context.fts_search',
      'SEARCHING → ANALYZING: words',
      'ANALYZING → DECIDING: decision',
      'DECIDING → SEARCHING: context.fts_search',
      'SEARCHING → STUCK_SEARCH: repeated_query',
      'STUCK_SEARCH → FINISHING: stuck_detection',
    ]);
    expect(mode.history).toEqual(moves);
  });

  it('can finish at once through the finish tool, and a repeated search is no transition [SAV-147, SAV-149, RS-02]', () => {
    const { mode, moves } = walkModeChart(chart, [
      createToolReply('context.fts_search'),
      createToolReply('context.fts_search'),
      createToolReply('finish'),
    ]);
    expect(mode.state).toBe('FINISHING');
    expect(moves.map(({ to }) => to)).toEqual(['SEARCHING', 'FINISHING']);
    expect(
      applyModePayload(chart, createModeInState(chart, 'SEARCHING'), createMoveRequest('SEARCHING')),
    ).toMatchObject({
      ok: false,
      error: expect.stringContaining('SEARCHING cannot follow SEARCHING'),
      changes: [],
    });
  });

  it('records a history with times and durations [SAV-13, SAV-109, SAV-145]', () => {
    const searching = applyModePayload(
      chart,
      startMode(chart, 1_000),
      createToolReply('context.fts_search'),
      1_500,
    ).mode;
    const analyzing = applyModePayload(chart, searching, textReply, 2_000).mode;
    expect(findReachedModeLimit(chart, analyzing, 32_001)?.reason).toBe(
      'ANALYZING has lasted 30001ms of at most 30000ms',
    );
    const { mode } = applyModePayload(chart, analyzing, { type: 'stuck-found', cause: 'timeout' }, 32_001);
    expect(mode.history).toEqual([
      { at: 1_500, from: 'INIT', to: 'SEARCHING', cause: 'context.fts_search', durationMs: 500 },
      { at: 2_000, from: 'SEARCHING', to: 'ANALYZING', cause: 'words', durationMs: 500 },
      { at: 32_001, from: 'ANALYZING', to: 'STUCK_ANALYZE', cause: 'timeout', durationMs: 30_001 },
    ]);
  });

  it('has no stuck state before it has started or when it is already stuck [SAV-84, SAV-96]', () => {
    for (const state of ['INIT', 'STUCK_SEARCH', 'FINISHING']) {
      const mode = createModeInState(chart, state);
      expect(applyModePayload(chart, mode, { type: 'stuck-found', cause: 'x' })).toMatchObject({
        ok: false,
        mode,
        changes: [],
      });
    }
  });
});
