import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  chartOf,
  modeCharts,
  toMermaid,
  turnChart,
  type Chart,
  type ChartMove,
  type ModeChart,
} from '../packages/core/src/index.ts';
import { markdownTable } from './markdown-table.ts';
import type { Page } from './pages.ts';
import { filesUnder, root } from './source-files.ts';

/** Pages with charts in them: the prose is written by hand, what stands between the markers comes from the code. */
export function chartPages(): readonly Page[] {
  return filesUnder('docs')
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => text.includes('<!-- chart: '))
    .map(({ path, text }) => ({ path, text: withCharts(text, path) }));
}

/** Puts the chart that each marker names between it and the next `<!-- /chart -->`. */
export function withCharts(page: string, path: string): string {
  return page.replaceAll(
    /(<!-- chart: ([^>]*?) -->\n)[^]*?(<!-- \/chart -->)/g,
    (...[, open, name, close]) => {
      const draw = drawings.get(String(name));
      if (draw === undefined)
        throw new Error(
          `${path}: there is no chart "${String(name)}". There are: ${[...drawings.keys()].join(', ')}.`,
        );
      return `${String(open)}\n${draw()}\n\n${String(close)}`;
    },
  );
}

/** What a marker may name; charts as `pawl chart` prints them. */
const drawings: ReadonlyMap<string, () => string> = new Map([
  ['turn', () => drawn(turnChart)],
  ['turn, the plain way', () => drawn(plainWay(turnChart))],
  ['turn, its states', () => statesTable(turnChart)],
  ...Object.values<ModeChart>(modeCharts).map((modes): [string, () => string] => [
    modes.name,
    () => drawn(chartOf(modes)),
  ]),
]);

const drawn = (chart: Chart): string => `\`\`\`mermaid\n${toMermaid(chart)}\`\`\``;

/** The events of a turn in which nothing fails, is called off or is said in between. */
const plainEvents: ReadonlySet<string | null> = new Set([
  'user-message',
  'model-replied',
  'permission-decided',
  'tool-finished',
  'hooks-finished',
  null,
]);
const detours: ReadonlySet<string> = new Set([
  'paused',
  'halted',
  'shuttingDown',
  'errorRecovery',
  'paging',
  'phaseTransition',
]);

function plainWay(chart: Chart): Chart {
  const states = chart.states
    .filter(({ name }) => !detours.has(name))
    .map((state) => ({ ...state, moves: state.moves.filter((move) => isPlain(move, state.name)) }));
  return { ...chart, states };
}

function isPlain({ on, to }: ChartMove, from: string): boolean {
  return plainEvents.has(on) && to !== from && !detours.has(to);
}

function statesTable({ states }: Chart): string {
  return markdownTable(
    ['state', 'kind', 'what it is for'],
    states.map(({ name, kind, description }) => [`\`${name}\``, kind, description]),
  );
}
