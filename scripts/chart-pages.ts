import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toMermaid, type Chart, type ChartMove, toDrawableChart, turnChart } from '@pawl/core/charts';
import { modeCharts, type ModeChart } from '@pawl/core/modes';
import { renderAlignedTable } from './markdown-table.ts';
import type { GeneratedPage } from './pages.ts';
import { listProjectFiles, repositoryRoot } from './source-files.ts';

/** Pages with charts: the prose is written by hand, and the content between the markers is generated. */
export function buildChartPages(): readonly GeneratedPage[] {
  return listProjectFiles('docs')
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }))
    .filter(({ text }) => text.includes('<!-- chart: '))
    .map(({ path, text }) => ({ path, text: insertCharts(text, path) }));
}

/** Inserts the named chart between each marker and the next `<!-- /chart -->`. */
export function insertCharts(page: string, path: string): string {
  return page.replaceAll(
    /(<!-- chart: ([^>]*?) -->\n)[^]*?(<!-- \/chart -->)/g,
    (...[, open, name, close]) => {
      const draw = chartDrawings.get(String(name));
      if (draw === undefined)
        throw new Error(
          `${path}: there is no chart "${String(name)}". There are: ${[...chartDrawings.keys()].join(', ')}.`,
        );
      return `${String(open)}\n${draw()}\n\n${String(close)}`;
    },
  );
}

/** The charts that a marker can name, as `pawl chart` prints them. */
const chartDrawings: ReadonlyMap<string, () => string> = new Map([
  ['turn', () => renderMermaidBlock(turnChart)],
  ['turn, the plain way', () => renderMermaidBlock(toHappyPath(turnChart))],
  ['turn, its states', () => renderStatesTable(turnChart)],
  ...Object.values<ModeChart>(modeCharts).map((modes): [string, () => string] => [
    modes.name,
    () => renderMermaidBlock(toDrawableChart(modes)),
  ]),
]);

const renderMermaidBlock = (chart: Chart): string => `\`\`\`mermaid\n${toMermaid(chart)}\`\`\``;

/** Events of a turn without failures, cancellation or steering. */
const happyPathEvents: ReadonlySet<string | null> = new Set([
  'user-message',
  'model-replied',
  'permission-decided',
  'tool-finished',
  'hooks-finished',
  null,
]);
const detourStates: ReadonlySet<string> = new Set([
  'paused',
  'halted',
  'shuttingDown',
  'errorRecovery',
  'paging',
  'phaseTransition',
]);

function toHappyPath(chart: Chart): Chart {
  const states = chart.states
    .filter(({ name }) => !detourStates.has(name))
    .map((state) => ({
      ...state,
      transitions: state.transitions.filter((move) => isHappyPathMove(move, state.name)),
    }));
  return { ...chart, states };
}

function isHappyPathMove({ on, to }: ChartMove, from: string): boolean {
  return happyPathEvents.has(on) && to !== from && !detourStates.has(to);
}

function renderStatesTable({ states }: Chart): string {
  return renderAlignedTable(
    ['state', 'kind', 'what it is for'],
    states.map(({ name, kind, description }) => [`\`${name}\``, kind, description]),
  );
}
