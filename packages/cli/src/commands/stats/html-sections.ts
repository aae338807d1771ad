import {
  renderBarPlot,
  renderColumnPlot,
  renderLinePlot,
  type PlotBar,
  type PlotCaption,
  renderElement,
  escapeHtmlText,
} from './html-plots.ts';
import { formatDuration } from '../../output/format-time.ts';
import type { GroupStats, AggregateStats, DayStats } from './aggregate.ts';
import { formatCount, formatGroupedNumber, formatShare } from '../../output/format-number.ts';

/* Each section of the report as plots and tables; a section without data renders nothing. */

export function renderDailyPlots({ byDay }: AggregateStats): readonly string[] {
  if (byDay.length === 0) return [];
  const spans = groupDaySpans(byDay);
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

export function renderTimePlots({ timeByState }: AggregateStats): readonly string[] {
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

export function renderTransitionPlot({ transitions }: AggregateStats): readonly string[] {
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

export function renderLoopPlot({ loops, worstLoops }: AggregateStats): readonly string[] {
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

export function renderAccuracyPlot({ accuracy }: AggregateStats): readonly string[] {
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

export function renderGroupPlot(title: string, groups: readonly GroupStats[]): readonly string[] {
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

export function renderToolPlot({ byTool }: AggregateStats): readonly string[] {
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

const maxHtmlRows = 30;

function renderBars(caption: PlotCaption, bars: readonly PlotBar[]): readonly string[] {
  if (bars.length === 0) return [];
  const rest = bars.length - maxHtmlRows;
  const more =
    rest > 0
      ? [renderElement('p', { class: 'note' }, escapeHtmlText(`${rest} more; use --json for all.`))]
      : [];
  return [renderBarPlot(caption, bars.slice(0, maxHtmlRows)), ...more];
}

function renderHtmlTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return [];
  const body = rows.slice(0, maxHtmlRows).map((row) => renderHtmlRow(row, 'td'));
  const inside =
    renderElement('thead', {}, renderHtmlRow(head, 'th')) + renderElement('tbody', {}, body.join(''));
  const summary = renderElement('summary', {}, escapeHtmlText(title));
  return [
    renderElement(
      'details',
      {},
      summary + renderElement('div', { class: 'wide' }, renderElement('table', {}, inside)),
    ),
  ];
}

function renderHtmlRow(row: readonly string[], name: 'td' | 'th'): string {
  return renderElement('tr', {}, row.map((text) => renderElement(name, {}, escapeHtmlText(text))).join(''));
}

/** One or more days, named after the first. */
type DaySpan = Omit<DayStats, 'day'> & { readonly name: string };

/** Maximum number of spans that fit in a plot. */
const maxDaySpans = 60;

const millisecondsPerDay = 86_400_000;

/** Lists consecutive days, including those without activity, grouped into longer spans if there are too many. */
function groupDaySpans(days: readonly DayStats[]): readonly DaySpan[] {
  const numbered = days.flatMap((each) => {
    const number = Date.parse(`${each.day}T00:00:00Z`) / millisecondsPerDay;
    return Number.isInteger(number) ? [{ ...each, number }] : [];
  });
  const numbers = numbered.map(({ number }) => number);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length === 0) return [];
  const length =
    spanLengthsInDays.find((each) => (last - first + 1) / each <= maxDaySpans) ??
    (last - first + 1) / maxDaySpans;
  const groups = Map.groupBy(numbered, ({ number }) => Math.floor((number - first) / length));
  return Array.from({ length: Math.floor((last - first) / length) + 1 }, (_, index) =>
    sumDaySpan(formatDayNumber(first + index * length), groups.get(index) ?? []),
  );
}

/** A day, a week, four weeks, a quarter, a year. */
const spanLengthsInDays = [1, 7, 28, 91, 364];

function formatDayNumber(number: number): string {
  return new Date(Math.floor(number) * millisecondsPerDay).toISOString().slice(0, 10);
}

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
