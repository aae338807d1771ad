import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeChartView,
  buildChartViewModel,
  getSessionCharts,
  getChartTrails,
} from '../../web/views/chart/chart-model.ts';
import { listVisits, ChartTrail } from '../../web/views/chart/chart-trail.ts';
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

describe('the turn chart of a run', () => {
  const timeline = createTimeline([
    goalEvent,
    createToolReply('read'),
    ...createToolEvents('text'),
    createAnswerReply('done'),
  ]);
  const { turn: trail } = getChartTrails(timeline);

  it('highlights the state after the selected event', () => {
    for (const seq of [0, 1, 2, 3, 4, 5]) {
      const shown = buildChartViewModel(turn, trail, seq);
      const highlighted = shown.states.filter(({ isCurrent }) => isCurrent).map(({ name }) => name);
      expect(highlighted).toEqual([timeline.stateAt(seq).turn.status]);
      expect(shown.current).toBe(highlighted[0]);
    }
  });

  it('counts visits and transitions up to the selected event', () => {
    const early = buildChartViewModel(turn, trail, 1);
    expect(early.states.find(({ name }) => name === 'callingModel')?.visits).toBe(1);
    const late = buildChartViewModel(turn, trail, 5);
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

  it('has one visit more than transitions', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(30), (rounds, at) => {
        const events = [
          goalEvent,
          ...Array.from({ length: rounds }, () => [createToolReply('read'), ...createToolEvents('x')]).flat(),
        ];
        const each = createTimeline(events, { settings: { governor: { preset: 'none', rules: {} } } });
        const shown = buildChartViewModel(turn, getChartTrails(each).turn, at);
        const visits = shown.states.reduce((sum, state) => sum + state.visits, 0);
        expect(visits).toBe(shown.transitionCount + 1);
        expect(shown.edges.reduce((sum, edge) => sum + edge.count, 0)).toBe(shown.transitionCount);
      }),
    );
  });

  it('grows with the timeline', () => {
    const growing = createTimeline([goalEvent]);
    expect(getChartTrails(growing).turn.transitions).toHaveLength(1);
    growing.add([{ seq: 2, event: { type: 'model-replied', text: 'hello', calls: [], at: 9 } }]);
    expect(getChartTrails(growing).turn.transitions.map(({ to }) => to)).toEqual([
      'callingModel',
      'processingResponse',
      'waitingForUser',
    ]);
  });

  it('lists all visits in order, and the latest visits to one state', () => {
    const visits = listVisits(trail, 5);
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

  it('has a description in words', () => {
    const description = describeChartView(buildChartViewModel(turn, trail, 5)).join('\n');
    expect(description).toContain('Current state: waitingForUser, after 7 transitions.');
    expect(description).toContain(
      'callingModel: visited 2 times; transitions: to processingResponse 2 times.',
    );
  });
});

describe('the mode chart', () => {
  it('exists if the profile has modes and shows the transitions taken', () => {
    const timeline = createTimeline(
      [goalEvent, { type: 'model-replied', text: 'thinking', calls: [], nextState: 'executing' }],
      {
        ...getProfileOptions('lkj'),
      },
    );
    const { mode } = getSessionCharts(timeline.created);
    if (mode === null) throw new Error('Expected a mode chart.');
    const shown = buildChartViewModel(mode, getChartTrails(timeline).mode, timeline.head);
    expect(shown.current).toBe(timeline.latest.mode?.state);
    expect(getSessionCharts(createTimeline([]).created).mode).toBeNull();
  });
});

describe('the layout', () => {
  const timeline = createTimeline(stuckRunEvents);
  const { turn: trail } = getChartTrails(timeline);
  const shown = buildChartViewModel(turn, trail, timeline.head);
  const takenEdges = trail.firstByEdge;

  it('omits interruptions that did not happen unless all edges are requested', () => {
    const usual = selectDrawnEdges(shown.edges, false, takenEdges);
    expect(usual.length).toBeLessThan(shown.edges.length);
    expect(usual.some(({ id }) => id === 'callingModel→paused')).toBe(false);
    expect(selectDrawnEdges(shown.edges, true, takenEdges)).toHaveLength(shown.edges.length);
    for (const id of takenEdges.keys()) expect(usual.some((edge) => edge.id === id)).toBe(true);
  });

  it('contains every state once and only edges between its states', () => {
    const graph = buildElkGraph(shown, shown.edges, 'DOWN');
    const names = new Set(graph.children.map(({ id }) => id));
    expect(names.size).toBe(shown.states.length);
    for (const { sources, targets } of graph.edges) {
      expect(names.has(sources[0] ?? '') && names.has(targets[0] ?? '')).toBe(true);
    }
  });

  it('draws the splines that elk returns', () => {
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
    expect(layout.positions.get('a')).toEqual({ x: 1, y: 2 });
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

describe('a long chart trail', () => {
  it('has the same counts at any transition as a trail that ends there', () => {
    const transitions = Array.from({ length: 7_000 }, (_, index) => ({
      seq: index + 1,
      at: index,
      from: index % 2 === 0 ? 'a' : 'b',
      to: index % 2 === 0 ? 'b' : 'a',
      cause: 'x',
      durationMs: index % 5,
    }));
    const whole = new ChartTrail('a');
    for (const transition of transitions) whole.add(transition);
    fc.assert(
      fc.property(fc.nat(7_100), (count) => {
        const short = new ChartTrail('a');
        for (const transition of transitions.slice(0, count)) short.add(transition);
        expect(whole.countsAt(count)).toEqual(short.countsAt(count));
      }),
      { numRuns: 25 },
    );
  });
});
