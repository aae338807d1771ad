import { sanitizeOneLine } from './sanitize-text.ts';

/** A segment of a bar. `kind` selects its color; `title` describes it. */
export type BarPart = { readonly value: number; readonly kind: PlotKind; readonly title: string };

export type PlotKind = 'good' | 'bad' | 'plain' | 'rest';

/** The title of a plot, and a legend if it has several colors. */
export type PlotCaption = {
  readonly title: string;
  readonly legend?: readonly (readonly [PlotKind, string])[];
};

/** A bar with its name on the left and its total on the right. */
export type PlotBar = { readonly name: string; readonly parts: readonly BarPart[]; readonly label: string };

const plotWidth = 720;
const barRowHeight = 26;
const barNameWidth = 190;
const barLabelWidth = 180;

/** Renders horizontal bars on one scale. */
export function renderBarPlot(caption: PlotCaption, bars: readonly PlotBar[]): string {
  const maximum = Math.max(...bars.map(sumBarParts), 0);
  const room = plotWidth - barNameWidth - barLabelWidth;
  const rows = bars.map((bar, index) => {
    const y = index * barRowHeight;
    const scale = maximum === 0 ? 0 : room / maximum;
    let x = barNameWidth;
    const parts = bar.parts.map((part) => {
      const length = Math.max(0, part.value) * scale;
      const rectangle = renderRectangle({ x, y: y + 4, width: length, height: barRowHeight - 8 }, part);
      x += length;
      return rectangle;
    });
    const name = renderPlotText(barNameWidth - 8, y + 17, truncateBarName(bar.name), 'end');
    return [name, ...parts, renderPlotText(x + 6, y + 17, bar.label, 'start')].join('');
  });
  return renderFigure(
    caption,
    { width: plotWidth, height: Math.max(1, bars.length) * barRowHeight },
    rows.join(''),
  );
}

/** A time span with the segments of its column. */
export type PlotColumn = { readonly name: string; readonly parts: readonly BarPart[] };

const columnsHeight = 170;
const plotBaseline = columnsHeight - 24;
const plotMarginLeft = 64;
const maxColumnWidth = 48;

/** Renders columns over time, with the maximum on the axis. */
export function renderColumnPlot(
  caption: PlotCaption,
  columns: readonly PlotColumn[],
  formatValue: (value: number) => string,
): string {
  const maximum = Math.max(...columns.map(sumBarParts), 0);
  const room = (plotWidth - plotMarginLeft) / Math.max(1, columns.length);
  const scale = maximum === 0 ? 0 : (plotBaseline - 12) / maximum;
  const labelInterval = Math.ceil(columns.length / 8);
  const renderedColumns = columns.map(({ name, parts }, index) => {
    const x = plotMarginLeft + index * room;
    const width = Math.min(maxColumnWidth, room * 0.8);
    let y = plotBaseline;
    const stacked = parts.map((part) => {
      const height = Math.max(0, part.value) * scale;
      y -= height;
      return renderRectangle({ x, y, width, height }, part);
    });
    const label = index % labelInterval === 0 ? renderDateLabel(x + width / 2, name) : '';
    return stacked.join('') + label;
  });
  const axis = [
    renderElement(
      'line',
      { class: 'axis', x1: plotMarginLeft, x2: plotWidth, y1: plotBaseline, y2: plotBaseline },
      '',
    ),
    renderPlotText(plotMarginLeft - 8, 16, formatValue(maximum), 'end'),
    renderPlotText(plotMarginLeft - 8, plotBaseline, formatValue(0), 'end'),
  ];
  return renderFigure(
    caption,
    { width: plotWidth, height: columnsHeight },
    [...axis, ...renderedColumns].join(''),
  );
}

/** A point in time with a fraction; null if there is no value. */
export type PlotPoint = { readonly name: string; readonly share: number | null; readonly title: string };

/** Renders fractions over time; consecutive points are connected. */
export function renderLinePlot(title: string, points: readonly PlotPoint[]): string {
  const room = (plotWidth - plotMarginLeft - 16) / Math.max(1, points.length - 1);
  const labelInterval = Math.ceil(points.length / 8);
  const placed = points.map((point, index) => ({ ...point, x: plotMarginLeft + 8 + index * room }));
  const line = placed.flatMap(({ x, share }) =>
    share === null ? [] : [`${roundPlotCoordinate(x)},${roundPlotCoordinate(toPlotY(share))}`],
  );
  const dots = placed.flatMap(({ x, share, title: pointTitle }) =>
    share === null
      ? []
      : [
          renderElement(
            'circle',
            { class: 'dot', cx: roundPlotCoordinate(x), cy: roundPlotCoordinate(toPlotY(share)), r: 4 },
            renderTitle(pointTitle),
          ),
        ],
  );
  const labels = placed.flatMap(({ x, name }, index) =>
    index % labelInterval === 0 ? [renderDateLabel(x, name)] : [],
  );
  const axis = [0, 0.5, 1].map(
    (share) =>
      renderElement(
        'line',
        { class: 'axis', x1: plotMarginLeft, x2: plotWidth, y1: toPlotY(share), y2: toPlotY(share) },
        '',
      ) + renderPlotText(plotMarginLeft - 8, toPlotY(share) + 4, `${100 * share} %`, 'end'),
  );
  const path = renderElement('polyline', { class: 'line', points: line.join(' ') }, '');
  return renderFigure(
    { title },
    { width: plotWidth, height: columnsHeight },
    [...axis, path, ...dots, ...labels].join(''),
  );
}

/** Converts a fraction to a y coordinate. */
function toPlotY(share: number): number {
  return plotBaseline - share * (plotBaseline - 12);
}

function sumBarParts({ parts }: { readonly parts: readonly BarPart[] }): number {
  return parts.reduce((sum, { value }) => sum + Math.max(0, value), 0);
}

type PlotBox = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

function renderRectangle(box: PlotBox, { kind, title }: BarPart): string {
  const sides = Object.fromEntries(
    Object.entries(box).map(([side, value]) => [side, roundPlotCoordinate(value)]),
  );
  return renderElement('rect', { class: `part ${kind}`, ...sides }, renderTitle(title));
}

function renderTitle(title: string): string {
  return renderElement('title', {}, escapeHtmlText(title));
}

function renderPlotText(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end'): string {
  return renderElement(
    'text',
    { x: roundPlotCoordinate(x), y: roundPlotCoordinate(y), 'text-anchor': anchor },
    escapeHtmlText(text),
  );
}

/** Places the label below the axis and inside the plot. */
function renderDateLabel(x: number, name: string): string {
  return renderPlotText(Math.min(x, plotWidth - 36), columnsHeight - 6, name, 'middle');
}

type PlotSize = { readonly width: number; readonly height: number };

function renderFigure({ title, legend = [] }: PlotCaption, size: PlotSize, content: string): string {
  const box = `0 0 ${size.width} ${size.height}`;
  const svg = renderElement('svg', { viewBox: box, role: 'img', 'aria-label': title }, content);
  const keys = legend.map(
    ([kind, name]) => `${renderElement('i', { class: `key key-${kind}` }, '')}${escapeHtmlText(name)}`,
  );
  const legendElement = keys.length === 0 ? '' : renderElement('span', { class: 'legend' }, keys.join(' '));
  return renderElement(
    'figure',
    {},
    renderElement('figcaption', {}, renderElement('b', {}, escapeHtmlText(title)) + legendElement) + svg,
  );
}

/** Truncates a name to the available width. */
function truncateBarName(name: string): string {
  return name.length > maxBarName ? `${name.slice(0, maxBarName - 1)}…` : name;
}

const maxBarName = 28;

function roundPlotCoordinate(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Escapes text for an element or an attribute, so that it is shown literally. */
export function escapeHtmlText(text: string, maxCharacters = maxHtmlCharacters): string {
  return escapeHtml(sanitizeOneLine(text.slice(0, maxCharacters).toWellFormed()));
}

/** Maximum length of a name or a goal in a report. */
const maxHtmlCharacters = 300;

/** Renders an element. Attributes are escaped; the content must already be HTML. */
export function renderElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: string,
): string {
  const attributeTexts = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeHtml(String(value))}"`,
  );
  return `<${name}${attributeTexts.join('')}>${content}</${name}>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
