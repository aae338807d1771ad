import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeChartView,
  buildChartViewModel,
  getSessionCharts,
  getChartTrails,
} from '../../web/views/chart/chart-model.ts';
import { listVisits } from '../../web/views/chart/visit-list.ts';
import { ChartTrail } from '../../web/views/chart/chart-trail.ts';
import {
  buildElkGraph,
  parseElkLayout,
  selectDrawnEdges,
  formatSvgPath,
  findPointOnPath,
} from '../../web/views/chart/layout-model.ts';
import {
  createAnswerReply,
  createToolReply,
  createToolEvents,
  goalEvent,
  getProfileOptions,
  stuckRunEvents,
  createTimeline,
} from './test-events.ts';

const { turn } = getSessionCharts(createTimeline([]).created);

describe('the chart of a run', () => {
  const track = createTimeline([
    goalEvent,
    createToolReply('read'),
    ...createToolEvents('text'),
    createAnswerReply('done'),
  ]);
  const { turn: walked } = getChartTrails(track);

  it('lights the state after the event that is looked at', () => {
    for (const seq of [0, 1, 2, 3, 4, 5]) {
      const shown = buildChartViewModel(turn, walked, seq);
      const lit = shown.states.filter(({ isCurrent }) => isCurrent).map(({ name }) => name);
      expect(lit).toEqual([track.at(seq).turn.status]);
      expect(shown.current).toBe(lit[0]);
    }
  });

  it('counts visits and moves up to that event, and no further', () => {
    const early = buildChartViewModel(turn, walked, 1);
    expect(early.states.find(({ name }) => name === 'callingModel')?.visits).toBe(1);
    const late = buildChartViewModel(turn, walked, 5);
    const visits = Object.fromEntries(late.states.map(({ name, visits: count }) => [name, count]));
    expect(visits).toMatchObject({
      waitingForUser: 2,
      callingModel: 2,
      processingResponse: 2,
      executingTools: 1,
      halted: 0,
    });
    expect(late.edges.find(({ id }) => id === 'callingModel→processingResponse')?.count).toBe(2);
    expect(late.edges.filter(({ isLatest }) => isLatest).map(({ id }) => id)).toEqual([
      'processingResponse→waitingForUser',
    ]);
  });

  it('has as many visits as moves and the beginning, whatever happened', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(30), (rounds, at) => {
        const events = [
          goalEvent,
          ...Array.from({ length: rounds }, () => [createToolReply('read'), ...createToolEvents('x')]).flat(),
        ];
        const each = createTimeline(events, { settings: { governor: { preset: 'none', rules: {} } } });
        const shown = buildChartViewModel(turn, getChartTrails(each).turn, at);
        const visits = shown.states.reduce((sum, state) => sum + state.visits, 0);
        expect(visits).toBe(shown.moves + 1);
        expect(shown.edges.reduce((sum, edge) => sum + edge.count, 0)).toBe(shown.moves);
      }),
    );
  });

  it('is kept up as the track grows', () => {
    const growing = createTimeline([goalEvent]);
    expect(getChartTrails(growing).turn.moves).toHaveLength(1);
    growing.add([{ seq: 2, event: { type: 'model-replied', text: 'hello', calls: [], at: 9 } }]);
    expect(getChartTrails(growing).turn.moves.map(({ to }) => to)).toEqual([
      'callingModel',
      'processingResponse',
      'waitingForUser',
    ]);
  });

  it('tells every stay in order, and the latest in one state', () => {
    const visits = listVisits(walked, 5);
    const states = Array.from({ length: visits.length }, (_, index) => visits.visit(index).state);
    expect(states).toEqual([
      'waitingForUser',
      'callingModel',
      'processingResponse',
      'executingTools',
      'progressCheck',
      'callingModel',
      'processingResponse',
      'waitingForUser',
    ]);
    expect(visits.visit(1)).toMatchObject({ seq: 1, cause: 'user-message', durationMs: 1_000 });
    expect(visits.latestIn('callingModel', 5).map(({ seq }) => seq)).toEqual([4, 1]);
    expect(visits.visit(visits.length - 1).durationMs).toBeNull();
  });

  it('says it all in words too', () => {
    const words = describeChartView(buildChartViewModel(turn, walked, 5)).join('\n');
    expect(words).toContain('The work is in waitingForUser, after 7 moves.');
    expect(words).toContain('callingModel: visited 2 times; led to processingResponse 2 times.');
  });
});

describe('the chart of modes', () => {
  it('is there where the profile has modes, with the moves that were made', () => {
    const track = createTimeline(
      [goalEvent, { type: 'model-replied', text: 'thinking', calls: [], nextState: 'executing' }],
      {
        ...getProfileOptions('lkj'),
      },
    );
    const { mode } = getSessionCharts(track.created);
    if (mode === null) throw new Error('no chart');
    const shown = buildChartViewModel(mode, getChartTrails(track).mode, track.head);
    expect(shown.current).toBe(track.now.mode?.state);
    expect(getSessionCharts(createTimeline([]).created).mode).toBeNull();
  });
});

describe('the layout', () => {
  const track = createTimeline(stuckRunEvents);
  const { turn: walked } = getChartTrails(track);
  const shown = buildChartViewModel(turn, walked, track.head);
  const taken = walked.ways;

  it('leaves out interruptions that nobody made, and shows them when asked to', () => {
    const usual = selectDrawnEdges(shown.edges, false, taken);
    expect(usual.length).toBeLessThan(shown.edges.length);
    expect(usual.some(({ id }) => id === 'callingModel→paused')).toBe(false);
    expect(selectDrawnEdges(shown.edges, true, taken)).toHaveLength(shown.edges.length);
    for (const id of taken.keys()) expect(usual.some((edge) => edge.id === id)).toBe(true);
  });

  it('gives elk every state once, and no line to a state that is not there', () => {
    const graph = buildElkGraph(shown, shown.edges, 'DOWN');
    const names = new Set(graph.children.map(({ id }) => id));
    expect(names.size).toBe(shown.states.length);
    for (const { sources, targets } of graph.edges) {
      expect(names.has(sources[0] ?? '') && names.has(targets[0] ?? '')).toBe(true);
    }
  });

  it('draws the splines that elk answers with', () => {
    const points = [
      { x: 0, y: 0 },
      { x: 0, y: 10 },
      { x: 10, y: 10 },
      { x: 10, y: 20 },
    ];
    const [startPoint, one, two, endPoint] = points;
    if (startPoint === undefined || one === undefined || two === undefined || endPoint === undefined)
      throw new Error();
    const layout = parseElkLayout({
      width: 20,
      children: [{ id: 'a', x: 1, y: 2 }],
      edges: [{ id: 'e', sections: [{ startPoint, bendPoints: [one, two], endPoint }] }, { id: 'none' }],
    });
    expect(layout.places.get('a')).toEqual({ x: 1, y: 2 });
    expect(formatSvgPath(layout.lines.get('e') ?? [])).toBe('M 0 0 C 0 10, 10 10, 10 20');
    expect(formatSvgPath(points.slice(0, 3))).toBe('M 0 0 L 0 10 L 10 10');
    const half = findPointOnPath(points, 0.5);
    expect([half.x, half.y]).toEqual([expect.closeTo(5, 5), expect.closeTo(10, 5)]);
    expect(findPointOnPath(points, 0)).toEqual({ x: 0, y: 0 });
    expect(
      findPointOnPath(
        [
          { x: 0, y: 0 },
          { x: 8, y: 0 },
        ],
        0.25,
      ),
    ).toEqual({ x: 2, y: 0 });
    expect(findPointOnPath([])).toEqual({ x: 0, y: 0 });
    expect(layout.lines.has('none')).toBe(false);
  });
});

describe('a walk of very many moves', () => {
  it('is counted the same after any of them as if it had ended there', () => {
    const moves = Array.from({ length: 7_000 }, (_, index) => ({
      seq: index + 1,
      at: index,
      from: index % 2 === 0 ? 'a' : 'b',
      to: index % 2 === 0 ? 'b' : 'a',
      cause: 'x',
      durationMs: index % 5,
    }));
    const whole = new ChartTrail('a');
    for (const move of moves) whole.add(move);
    fc.assert(
      fc.property(fc.nat(7_100), (count) => {
        const short = new ChartTrail('a');
        for (const move of moves.slice(0, count)) short.add(move);
        expect(whole.tallyAt(count)).toEqual(short.tallyAt(count));
      }),
      { numRuns: 25 },
    );
  });
});
