import { element, escaped } from './html-text.ts';

/** A part of a bar. The kind says which colour it has, the title what it is. */
export type BarPart = { readonly value: number; readonly kind: PlotKind; readonly title: string };

export type PlotKind = 'good' | 'bad' | 'plain' | 'rest';

/** What is drawn, and what its colours mean where there are several. */
export type Caption = { readonly title: string; readonly legend?: readonly (readonly [PlotKind, string])[] };

/** A bar with a name on the left, and what it comes to on the right. */
export type Bar = { readonly name: string; readonly parts: readonly BarPart[]; readonly label: string };

const width = 720;
const rowHeight = 26;
const nameWidth = 190;
const labelWidth = 180;

/** Bars one below the other, all to the same scale. */
export function barPlot(caption: Caption, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(totalOf), 0);
  const room = width - nameWidth - labelWidth;
  const rows = bars.map((bar, index) => {
    const y = index * rowHeight;
    const scale = most === 0 ? 0 : room / most;
    let x = nameWidth;
    const parts = bar.parts.map((part) => {
      const length = Math.max(0, part.value) * scale;
      const drawn = rectangle({ x, y: y + 4, width: length, height: rowHeight - 8 }, part);
      x += length;
      return drawn;
    });
    const name = text(nameWidth - 8, y + 17, short(bar.name), 'end');
    return [name, ...parts, text(x + 6, y + 17, bar.label, 'start')].join('');
  });
  return figure(caption, { width, height: Math.max(1, bars.length) * rowHeight }, rows.join(''));
}

/** A stretch of time, with the parts of its column. */
export type Column = { readonly name: string; readonly parts: readonly BarPart[] };

const columnsHeight = 170;
const baseline = columnsHeight - 24;
const left = 64;
const columnMax = 48;

/** Columns side by side over time, with the highest value at the side. */
export function columnPlot(
  caption: Caption,
  columns: readonly Column[],
  shown: (value: number) => string,
): string {
  const most = Math.max(...columns.map(totalOf), 0);
  const room = (width - left) / Math.max(1, columns.length);
  const scale = most === 0 ? 0 : (baseline - 12) / most;
  const every = Math.ceil(columns.length / 8);
  const drawn = columns.map(({ name, parts }, index) => {
    const x = left + index * room;
    const wide = Math.min(columnMax, room * 0.8);
    let y = baseline;
    const stacked = parts.map((part) => {
      const height = Math.max(0, part.value) * scale;
      y -= height;
      return rectangle({ x, y, width: wide, height }, part);
    });
    const label = index % every === 0 ? dateText(x + wide / 2, name) : '';
    return stacked.join('') + label;
  });
  const axis = [
    element('line', { class: 'axis', x1: left, x2: width, y1: baseline, y2: baseline }, ''),
    text(left - 8, 16, shown(most), 'end'),
    text(left - 8, baseline, shown(0), 'end'),
  ];
  return figure(caption, { width, height: columnsHeight }, [...axis, ...drawn].join(''));
}

/** A point in time, and its share of one; null where there is none. */
export type Point = { readonly name: string; readonly share: number | null; readonly title: string };

/** Shares over time, joined where they follow one another. */
export function linePlot(title: string, points: readonly Point[]): string {
  const room = (width - left - 16) / Math.max(1, points.length - 1);
  const every = Math.ceil(points.length / 8);
  const placed = points.map((point, index) => ({ ...point, x: left + 8 + index * room }));
  const line = placed.flatMap(({ x, share }) => (share === null ? [] : [`${round(x)},${round(yOf(share))}`]));
  const dots = placed.flatMap(({ x, share, title: told }) =>
    share === null
      ? []
      : [element('circle', { class: 'dot', cx: round(x), cy: round(yOf(share)), r: 4 }, titled(told))],
  );
  const labels = placed.flatMap(({ x, name }, index) => (index % every === 0 ? [dateText(x, name)] : []));
  const axis = [0, 0.5, 1].map(
    (share) =>
      element('line', { class: 'axis', x1: left, x2: width, y1: yOf(share), y2: yOf(share) }, '') +
      text(left - 8, yOf(share) + 4, `${100 * share} %`, 'end'),
  );
  const path = element('polyline', { class: 'line', points: line.join(' ') }, '');
  return figure({ title }, { width, height: columnsHeight }, [...axis, path, ...dots, ...labels].join(''));
}

/** Where a share is drawn. */
function yOf(share: number): number {
  return baseline - share * (baseline - 12);
}

function totalOf({ parts }: { readonly parts: readonly BarPart[] }): number {
  return parts.reduce((sum, { value }) => sum + Math.max(0, value), 0);
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

function rectangle(box: Box, { kind, title }: BarPart): string {
  const sides = Object.fromEntries(Object.entries(box).map(([side, value]) => [side, round(value)]));
  return element('rect', { class: `part ${kind}`, ...sides }, titled(title));
}

function titled(title: string): string {
  return element('title', {}, escaped(title));
}

function text(x: number, y: number, said: string, anchor: 'start' | 'middle' | 'end'): string {
  return element('text', { x: round(x), y: round(y), 'text-anchor': anchor }, escaped(said));
}

/** Below the axis, and not beyond the edge. */
function dateText(x: number, name: string): string {
  return text(Math.min(x, width - 36), columnsHeight - 6, name, 'middle');
}

type Size = { readonly width: number; readonly height: number };

function figure({ title, legend = [] }: Caption, size: Size, inside: string): string {
  const box = `0 0 ${size.width} ${size.height}`;
  const svg = element('svg', { viewBox: box, role: 'img', 'aria-label': title }, inside);
  const keys = legend.map(
    ([kind, name]) => `${element('i', { class: `key key-${kind}` }, '')}${escaped(name)}`,
  );
  const told = keys.length === 0 ? '' : element('span', { class: 'legend' }, keys.join(' '));
  return element('figure', {}, element('figcaption', {}, element('b', {}, escaped(title)) + told) + svg);
}

/** As much of a name as there is room for. */
function short(name: string): string {
  return name.length > nameMax ? `${name.slice(0, nameMax - 1)}…` : name;
}

const nameMax = 28;

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
