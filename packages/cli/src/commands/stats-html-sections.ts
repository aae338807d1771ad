import { barPlot, columnPlot, linePlot, type Bar, type Caption } from './html-plots.ts';
import { element, escaped } from './html-text.ts';
import { duration } from './show-time.ts';
import { daySpans } from './stats-html-days.ts';
import type { GroupStats, Stats } from './stats-sum.ts';
import { counted, grouped, percent } from './number-text.ts';

/* Each part of the report as plots and tables; what there is nothing of comes to nothing. */

export function overTime({ byDay }: Stats): readonly string[] {
  if (byDay.length === 0) return [];
  const spans = daySpans(byDay);
  const marked = spans.filter(({ right, wrong }) => right + wrong > 0);
  return [
    columnPlot(
      { title: 'Sessions that began', legend: endingLegend },
      spans.map(({ name, sessions, answered, stuck }) => ({
        name,
        parts: endings({ sessions, answered, stuck }, name),
      })),
      grouped,
    ),
    linePlot(
      'Steps that brought something new',
      spans.map(({ name, steps, effective }) => ({
        name,
        share: steps === 0 ? null : effective / steps,
        title: `${name}: ${grouped(effective)} of ${counted(steps, 'step')}`,
      })),
    ),
    columnPlot(
      {
        title: 'Tokens, and those that went into loops',
        legend: [
          ['bad', 'in loops'],
          ['plain', 'elsewhere'],
        ],
      },
      spans.map(({ name, tokens, loopTokens }) => ({
        name,
        parts: [
          { value: loopTokens, kind: 'bad', title: `${name}: ${grouped(loopTokens)} in loops` },
          { value: tokens - loopTokens, kind: 'plain', title: `${name}: ${grouped(tokens)} in all` },
        ],
      })),
      grouped,
    ),
    ...(marked.length === 0
      ? []
      : [
          linePlot(
            'Verdicts that people found right',
            spans.map(({ name, right, wrong }) => ({
              name,
              share: right + wrong === 0 ? null : right / (right + wrong),
              title: `${name}: ${right} right, ${wrong} wrong`,
            })),
          ),
        ]),
  ];
}

export function timePlots({ timeByState }: Stats): readonly string[] {
  return (['turn', 'mode'] as const).flatMap((machine) => {
    const rows = timeByState.filter((each) => each.machine === machine);
    if (rows.length === 0) return [];
    const bars = rows.map(({ state, totalMs, medianMs, stays }): Bar => {
      const title = `${state}: ${duration(totalMs)} in ${counted(stays, 'stay')}, in the middle ${duration(medianMs)}`;
      return { name: state, parts: [{ value: totalMs, kind: 'plain', title }], label: duration(totalMs) };
    });
    return plotted({ title: machine === 'turn' ? 'Time in each state' : 'Time in each mode' }, bars);
  });
}

export function transitionPlot({ transitions }: Stats): readonly string[] {
  const bars = transitions.map(({ from, to, count, endedWell, medianMs }): Bar => {
    const name = `${from} → ${to}`;
    const title = `${name}: ${count} times, ${percent(endedWell)} of their sessions ended with an answer, after ${duration(medianMs)} in the middle`;
    return {
      name,
      parts: [
        { value: count * endedWell, kind: 'good', title },
        { value: count * (1 - endedWell), kind: 'rest', title },
      ],
      label: `${grouped(count)}, ${percent(endedWell)} well`,
    };
  });
  return plotted(
    {
      title: 'Moves, by how their sessions ended',
      legend: [
        ['good', 'with an answer'],
        ['rest', 'otherwise'],
      ],
    },
    bars,
  );
}

export function loopPlot({ loops, worstLoops }: Stats): readonly string[] {
  const bars = loops.map(({ rule, tokens, steps, verdicts, ended, loops: count }): Bar => {
    const title = `${rule}: ${counted(count, 'loop')}, ${counted(steps, 'step')}, ${grouped(tokens)} tokens; ${counted(verdicts, 'verdict')}, of which ${ended} ended the turn`;
    return {
      name: rule,
      parts: [{ value: tokens, kind: 'bad', title }],
      label: `${grouped(tokens)} tokens, ${counted(steps, 'step')}`,
    };
  });
  const rows = worstLoops.map(({ session, goal, rule, steps, tokens }) => [
    goal ?? 'no goal yet',
    session,
    rule,
    grouped(steps),
    grouped(tokens),
  ]);
  return [
    ...plotted({ title: 'Tokens that went into loops, by rule' }, bars),
    ...table('The most expensive ones', ['goal', 'session', 'rule', 'steps', 'tokens'], rows),
  ];
}

export function accuracyPlot({ accuracy }: Stats): readonly string[] {
  const bars = accuracy.map(({ rule, verdicts, right, wrong, share }): Bar => {
    const title = `${rule}: ${right} right, ${wrong} wrong of ${counted(verdicts, 'verdict')}`;
    return {
      name: rule,
      parts: [
        { value: right, kind: 'good', title },
        { value: wrong, kind: 'bad', title },
        { value: verdicts - right - wrong, kind: 'rest', title },
      ],
      label: share === null ? 'not marked' : `${percent(share)} of ${right + wrong} right`,
    };
  });
  return plotted(
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

export function groupPlot(title: string, groups: readonly GroupStats[]): readonly string[] {
  const bars = groups.map((group): Bar => ({
    name: group.name,
    parts: endings(group, group.name),
    label: `${grouped(group.sessions)}, ${percent(group.share)} efficient`,
  }));
  const rows = groups.map((group) => [
    group.name,
    ...[group.sessions, group.answered, group.stuck, group.steps].map(grouped),
    percent(group.share),
    ...[group.toolCalls, group.inputTokens + group.outputTokens].map(grouped),
    group.cost === null ? '-' : group.cost.toFixed(4),
  ]);
  const head = ['', 'sessions', 'answered', 'stuck', 'steps', 'efficient', 'tool calls', 'tokens', 'cost'];
  return [...plotted({ title, legend: endingLegend }, bars), ...table('In numbers', head, rows)];
}

export function toolPlot({ byTool }: Stats): readonly string[] {
  const bars = byTool.map(({ tool, calls, failed, repeated }): Bar => {
    const title = `${tool}: ${counted(calls, 'call')}, ${failed} failed, ${repeated} came to what was known`;
    return {
      name: tool,
      parts: [
        { value: calls - failed - repeated, kind: 'good', title },
        { value: repeated, kind: 'rest', title },
        { value: failed, kind: 'bad', title },
      ],
      label: counted(calls, 'call'),
    };
  });
  const rows = byTool.map(({ tool, calls, failed, repeated, totalMs, medianMs }) => [
    tool,
    ...[calls, failed, repeated].map(grouped),
    duration(totalMs),
    duration(medianMs),
  ]);
  const head = ['tool', 'calls', 'failed', 'repeated', 'in all', 'median'];
  return [
    ...plotted(
      {
        title: 'Calls by tool',
        legend: [
          ['good', 'brought news'],
          ['rest', 'came to what was known'],
          ['bad', 'failed'],
        ],
      },
      bars,
    ),
    ...table('In numbers', head, rows),
  ];
}

const endingLegend = [
  ['good', 'with an answer'],
  ['bad', 'stuck'],
  ['rest', 'otherwise'],
] as const;

type Endings = { readonly sessions: number; readonly answered: number; readonly stuck: number };

function endings({ sessions, answered, stuck }: Endings, name: string): Bar['parts'] {
  const title = `${name}: ${counted(sessions, 'session')}, ${answered} with an answer, ${stuck} stuck`;
  return [
    { value: answered, kind: 'good', title },
    { value: stuck, kind: 'bad', title },
    { value: sessions - answered - stuck, kind: 'rest', title },
  ];
}

const rowsMax = 30;

function plotted(caption: Caption, bars: readonly Bar[]): readonly string[] {
  if (bars.length === 0) return [];
  const rest = bars.length - rowsMax;
  const more =
    rest > 0 ? [element('p', { class: 'note' }, escaped(`And ${rest} more: --json has them all.`))] : [];
  return [barPlot(caption, bars.slice(0, rowsMax)), ...more];
}

function table(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return [];
  const body = rows.slice(0, rowsMax).map((row) => tableRow(row, 'td'));
  const inside = element('thead', {}, tableRow(head, 'th')) + element('tbody', {}, body.join(''));
  const summary = element('summary', {}, escaped(title));
  return [element('details', {}, summary + element('div', { class: 'wide' }, element('table', {}, inside)))];
}

function tableRow(row: readonly string[], name: 'td' | 'th'): string {
  return element('tr', {}, row.map((text) => element(name, {}, escaped(text))).join(''));
}
