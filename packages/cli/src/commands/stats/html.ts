import { renderColumnPlot, renderLinePlot, type PlotBar } from '../../output/html-plots.ts';
import {
  renderBars,
  renderFigures,
  renderHtmlNote,
  renderHtmlPage,
  renderHtmlSection,
  renderHtmlTable,
} from '../../output/html-page.ts';
import { groupDaySpans } from '../../output/day-spans.ts';
import { formatDateTime, formatDuration } from '../../output/format-time.ts';
import type { AggregateStats, GroupStats, DayStats } from './aggregate.ts';
import { formatCount, formatGroupedNumber, formatShare } from '../../output/format-number.ts';

/** The first line of a generated report, which marks it as safe to replace. */
export const statsHtmlMarker = '<!doctype html><!-- pawl stats -->';

/** Renders the statistics as one self-contained page. */
export function renderStatsHtml(
  stats: AggregateStats,
  source: { readonly at: number; readonly where: string },
): string {
  const intro = `${formatCount(stats.sessions.counted, 'session')} of ${source.where}, ${formatDateTime(source.at)}`;
  return renderHtmlPage({
    marker: statsHtmlMarker,
    title: 'Session statistics',
    intro,
    parts: [renderKeyFigures(stats), ...renderStatsSections(stats)],
  });
}

function renderStatsSections(stats: AggregateStats): readonly string[] {
  return [
    renderHtmlSection('Over time', renderDailyPlots(stats)),
    renderHtmlSection('Time by state', renderTimePlots(stats)),
    renderHtmlSection('Mode transitions', renderTransitionPlot(stats)),
    renderHtmlSection('Loops and their cost, from the first repetition on', renderLoopPlot(stats)),
    renderHtmlSection('Verdict accuracy', renderAccuracyPlot(stats)),
    renderHtmlSection('By profile', renderGroupPlot('Sessions by profile', stats.byProfile)),
    renderHtmlSection('By model', renderGroupPlot('Sessions by model', stats.byModel)),
    renderHtmlSection('By tool', renderToolPlot(stats)),
  ];
}

function renderKeyFigures({ sessions, efficiency, saved }: AggregateStats): string {
  const ended = new Map(sessions.byEnding.map(({ name, count }) => [name, count]));
  const perStep = saved.tokensPerLoopStep;
  const all: readonly (readonly [string, string])[] = [
    [formatGroupedNumber(ended.get('answered') ?? 0), 'sessions answered'],
    [formatGroupedNumber(ended.get('stuck') ?? 0), 'sessions stuck'],
    [formatShare(efficiency.share), `of ${formatCount(efficiency.steps, 'step')} were effective`],
    [formatGroupedNumber(saved.stoppedTurns), 'turns stopped by the governor'],
    [formatGroupedNumber(saved.refusedCalls), 'blocked calls'],
    [perStep === null ? '-' : formatGroupedNumber(perStep), 'tokens per step in a loop'],
  ];
  const note =
    'The tokens saved by a stop cannot be measured; the report shows only the number of stops and the tokens per step in a loop.';
  return renderFigures(all) + renderHtmlNote(note);
}

/* Each section of the report as plots and tables; a section without data renders nothing. */

function renderDailyPlots({ byDay }: AggregateStats): readonly string[] {
  if (byDay.length === 0) return [];
  const spans = groupDaySpans(byDay, sumDaySpan);
  const marked = spans.filter(({ right, wrong }) => right + wrong > 0);
  return [
    renderColumnPlot(
      { title: 'Sessions started', legend: endingLegend },
      spans.map(({ name, sessions, answered, stuck }) => ({
        name,
        parts: toEndingBarParts({ sessions, answered, stuck }, name),
      })),
      formatGroupedNumber,
    ),
    renderLinePlot(
      'Effective steps',
      spans.map(({ name, steps, effective }) => ({
        name,
        share: steps === 0 ? null : effective / steps,
        title: `${name}: ${formatGroupedNumber(effective)} of ${formatCount(steps, 'step')}`,
      })),
    ),
    renderColumnPlot(
      {
        title: 'Tokens, total and in loops',
        legend: [
          ['bad', 'in loops'],
          ['plain', 'other'],
        ],
      },
      spans.map(({ name, tokens, loopTokens }) => ({
        name,
        parts: [
          { value: loopTokens, kind: 'bad', title: `${name}: ${formatGroupedNumber(loopTokens)} in loops` },
          {
            value: tokens - loopTokens,
            kind: 'plain',
            title: `${name}: ${formatGroupedNumber(tokens)} total`,
          },
        ],
      })),
      formatGroupedNumber,
    ),
    ...(marked.length === 0
      ? []
      : [
          renderLinePlot(
            'Verdicts marked as right',
            spans.map(({ name, right, wrong }) => ({
              name,
              share: right + wrong === 0 ? null : right / (right + wrong),
              title: `${name}: ${right} right, ${wrong} wrong`,
            })),
          ),
        ]),
  ];
}

function renderTimePlots({ timeByState }: AggregateStats): readonly string[] {
  return (['turn', 'mode'] as const).flatMap((machine) => {
    const rows = timeByState.filter((each) => each.machine === machine);
    if (rows.length === 0) return [];
    const bars = rows.map(({ state, totalMs, medianMs, stays }): PlotBar => {
      const title = `${state}: ${formatDuration(totalMs)} in ${formatCount(stays, 'visit')}, median ${formatDuration(medianMs)}`;
      return {
        name: state,
        parts: [{ value: totalMs, kind: 'plain', title }],
        label: formatDuration(totalMs),
      };
    });
    return renderBars({ title: machine === 'turn' ? 'Time in each state' : 'Time in each mode' }, bars);
  });
}

function renderTransitionPlot({ transitions }: AggregateStats): readonly string[] {
  const bars = transitions.map(({ from, to, count, endedWell, medianMs }): PlotBar => {
    const name = `${from} → ${to}`;
    const title = `${name}: ${count} times, ${formatShare(endedWell)} of these sessions answered, median ${formatDuration(medianMs)}`;
    return {
      name,
      parts: [
        { value: count * endedWell, kind: 'good', title },
        { value: count * (1 - endedWell), kind: 'rest', title },
      ],
      label: `${formatGroupedNumber(count)}, ${formatShare(endedWell)} answered`,
    };
  });
  return renderBars(
    {
      title: 'Transitions, by session ending',
      legend: [
        ['good', 'answered'],
        ['rest', 'other'],
      ],
    },
    bars,
  );
}

function renderLoopPlot({ loops, worstLoops }: AggregateStats): readonly string[] {
  const bars = loops.map(({ rule, tokens, steps, verdicts, ended, loops: count }): PlotBar => {
    const title = `${rule}: ${formatCount(count, 'loop')}, ${formatCount(steps, 'step')}, ${formatGroupedNumber(tokens)} tokens; ${formatCount(verdicts, 'verdict')}, of which ${ended} ended the turn`;
    return {
      name: rule,
      parts: [{ value: tokens, kind: 'bad', title }],
      label: `${formatGroupedNumber(tokens)} tokens, ${formatCount(steps, 'step')}`,
    };
  });
  const rows = worstLoops.map(({ session, goal, rule, steps, tokens }) => [
    goal ?? 'no goal yet',
    session,
    rule,
    formatGroupedNumber(steps),
    formatGroupedNumber(tokens),
  ]);
  return [
    ...renderBars({ title: 'Tokens in loops, by rule' }, bars),
    ...renderHtmlTable('Most expensive loops', ['goal', 'session', 'rule', 'steps', 'tokens'], rows),
  ];
}

function renderAccuracyPlot({ accuracy }: AggregateStats): readonly string[] {
  const bars = accuracy.map(({ rule, verdicts, right, wrong, share }): PlotBar => {
    const title = `${rule}: ${right} right, ${wrong} wrong of ${formatCount(verdicts, 'verdict')}`;
    return {
      name: rule,
      parts: [
        { value: right, kind: 'good', title },
        { value: wrong, kind: 'bad', title },
        { value: verdicts - right - wrong, kind: 'rest', title },
      ],
      label: share === null ? 'not marked' : `${formatShare(share)} of ${right + wrong} right`,
    };
  });
  return renderBars(
    {
      title: 'Verdicts by rule',
      legend: [
        ['good', 'right'],
        ['bad', 'wrong'],
        ['rest', 'not marked'],
      ],
    },
    bars,
  );
}

function renderGroupPlot(title: string, groups: readonly GroupStats[]): readonly string[] {
  const bars = groups.map((group): PlotBar => ({
    name: group.name,
    parts: toEndingBarParts(group, group.name),
    label: `${formatGroupedNumber(group.sessions)}, ${formatShare(group.share)} efficient`,
  }));
  const rows = groups.map((group) => [
    group.name,
    ...[group.sessions, group.answered, group.stuck, group.steps].map(formatGroupedNumber),
    formatShare(group.share),
    ...[group.toolCalls, group.inputTokens + group.outputTokens].map(formatGroupedNumber),
    group.cost === null ? '-' : group.cost.toFixed(4),
  ]);
  const head = ['', 'sessions', 'answered', 'stuck', 'steps', 'efficient', 'tool calls', 'tokens', 'cost'];
  return [...renderBars({ title, legend: endingLegend }, bars), ...renderHtmlTable('Table', head, rows)];
}

function renderToolPlot({ byTool }: AggregateStats): readonly string[] {
  const bars = byTool.map(({ tool, calls, failed, repeated }): PlotBar => {
    const title = `${tool}: ${formatCount(calls, 'call')}, ${failed} failed, ${repeated} repeated`;
    return {
      name: tool,
      parts: [
        { value: calls - failed - repeated, kind: 'good', title },
        { value: repeated, kind: 'rest', title },
        { value: failed, kind: 'bad', title },
      ],
      label: formatCount(calls, 'call'),
    };
  });
  const rows = byTool.map(({ tool, calls, failed, repeated, totalMs, medianMs }) => [
    tool,
    ...[calls, failed, repeated].map(formatGroupedNumber),
    formatDuration(totalMs),
    formatDuration(medianMs),
  ]);
  const head = ['tool', 'calls', 'failed', 'repeated', 'total', 'median'];
  return [
    ...renderBars(
      {
        title: 'Calls by tool',
        legend: [
          ['good', 'new result'],
          ['rest', 'repeated result'],
          ['bad', 'failed'],
        ],
      },
      bars,
    ),
    ...renderHtmlTable('Table', head, rows),
  ];
}

const endingLegend = [
  ['good', 'answered'],
  ['bad', 'stuck'],
  ['rest', 'other'],
] as const;

type EndingCounts = { readonly sessions: number; readonly answered: number; readonly stuck: number };

function toEndingBarParts({ sessions, answered, stuck }: EndingCounts, name: string): PlotBar['parts'] {
  const title = `${name}: ${formatCount(sessions, 'session')}, ${answered} answered, ${stuck} stuck`;
  return [
    { value: answered, kind: 'good', title },
    { value: stuck, kind: 'bad', title },
    { value: sessions - answered - stuck, kind: 'rest', title },
  ];
}

/** One or more days, named after the first. */
type DaySpan = Omit<DayStats, 'day'> & { readonly name: string };

function sumDaySpan(name: string, days: readonly DayStats[]): DaySpan {
  const sum = (key: Exclude<keyof DayStats, 'day'>): number =>
    days.reduce((total, each) => total + each[key], 0);
  return {
    name,
    sessions: sum('sessions'),
    answered: sum('answered'),
    stuck: sum('stuck'),
    steps: sum('steps'),
    effective: sum('effective'),
    tokens: sum('tokens'),
    loopTokens: sum('loopTokens'),
    right: sum('right'),
    wrong: sum('wrong'),
  };
}
