import {
  renderElement,
  escapeHtmlText,
  renderBarPlot,
  renderColumnPlot,
  renderLinePlot,
  type PlotBar,
  type PlotCaption,
} from './html-plots.ts';
import { formatDateTime, formatDuration } from '../../output/format-time.ts';
import type { AggregateStats, GroupStats, DayStats } from './aggregate.ts';
import { formatCount, formatGroupedNumber, formatShare } from '../../output/format-number.ts';

/** The first line of a generated report, which marks it as safe to replace. */
export const statsHtmlMarker = '<!doctype html><!-- pawl stats -->';

/**
 * Renders the statistics as one self-contained page, without scripts or network access, enforced by a content security
 * policy. Session texts are escaped.
 */
export function renderStatsHtml(
  stats: AggregateStats,
  source: { readonly at: number; readonly where: string },
): string {
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<title>Session statistics</title>',
    `<style>${statsHtmlStyle}</style>`,
  ];
  const intro = `${formatCount(stats.sessions.counted, 'session')} of ${source.where}, ${formatDateTime(source.at)}`;
  const body = [
    '<h1>Session statistics</h1>',
    renderElement('p', { class: 'about' }, escapeHtmlText(intro)),
    renderKeyFigures(stats),
    ...renderStatsSections(stats),
  ];
  return `${statsHtmlMarker}\n<html lang="en">\n<head>${head.join('\n')}</head>\n<body><main>${body.join('\n')}</main></body>\n</html>\n`;
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

/** Omits empty sections. */
function renderHtmlSection(title: string, parts: readonly string[]): string {
  return parts.length === 0
    ? ''
    : renderElement('section', {}, renderElement('h2', {}, escapeHtmlText(title)) + parts.join('\n'));
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
  const cells = all.map(([value, name]) =>
    renderElement(
      'div',
      {},
      renderElement('dd', {}, escapeHtmlText(value)) + renderElement('dt', {}, escapeHtmlText(name)),
    ),
  );
  const note =
    'The tokens saved by a stop cannot be measured; the report shows only the number of stops and the tokens per step in a loop.';
  return (
    renderElement('dl', { class: 'figures' }, cells.join('')) +
    renderElement('p', { class: 'note' }, escapeHtmlText(note))
  );
}

/**
 * Follows the reader's light or dark preference. Every color contrasts with its background, and no two differ by hue
 * alone.
 */
const statsHtmlStyle = `
:root { --ground: #fcfcfb; --card: #ffffff; --ink: #1d2129; --faint: #565d6a; --edge: #dcdfe4;
  --good: #1b7f79; --bad: #c2410c; --plain: #3b64b5; --rest: #a9b0bc; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171c; --card: #1b1f26; --ink: #e6e9ee; --faint: #a2aab7; --edge: #333a45;
    --good: #45b8b0; --bad: #f08a4b; --plain: #7ea2ea; --rest: #667080; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 820px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 24px; margin: 0; }
h2 { font-size: 17px; margin: 0 0 12px; }
.about, .note { color: var(--faint); margin: 4px 0 16px; }
section { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 16px; margin: 16px 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 16px 0 8px; }
.figures div { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 12px; }
dd { margin: 0; font-size: 24px; font-variant-numeric: tabular-nums; }
dt { color: var(--faint); font-size: 13px; }
figure { margin: 0 0 20px; }
figcaption { font-size: 13px; color: var(--faint); margin-bottom: 6px; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 12px; font-variant-numeric: tabular-nums; }
.part { stroke: var(--card); stroke-width: 1; }
.good { fill: var(--good); } .bad { fill: var(--bad); } .plain { fill: var(--plain); } .rest { fill: var(--rest); }
.legend { margin-left: 12px; } .key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin: 0 4px 0 8px; }
.key-good { background: var(--good); } .key-bad { background: var(--bad); } .key-plain { background: var(--plain); } .key-rest { background: var(--rest); }
figcaption b { color: var(--ink); font-weight: 600; }
.axis { stroke: var(--edge); } .line { fill: none; stroke: var(--plain); stroke-width: 2; } .dot { fill: var(--plain); }
summary { cursor: pointer; color: var(--faint); font-size: 13px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; margin-top: 8px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--edge); vertical-align: top; overflow-wrap: anywhere; }
`;

/* Each section of the report as plots and tables; a section without data renders nothing. */

function renderDailyPlots({ byDay }: AggregateStats): readonly string[] {
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
