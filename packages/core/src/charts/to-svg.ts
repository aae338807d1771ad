import type { Chart } from './chart.ts';
import { labelsOf } from './edges.ts';
import { statesOf } from './states.ts';
import type { Curve } from './svg/geometry.ts';
import { lineHeight, type Label } from './svg/labels.ts';
import { nameMax } from './svg/layers.ts';
import { layOut, type Node } from './svg/layout.ts';
import { legendFor } from './svg/legend.ts';
import type { Line } from './svg/lines.ts';
import { style } from './svg/style.ts';
import { clip, escapeXml } from './svg/text.ts';

/**
 * A picture of a chart that needs nothing but itself: rows from the initial state down, the way the chart is told in
 * bold, what leads there from nearly everywhere faint. Pointing at a line or a state tells all about it.
 */
export function toSvg(chart: Chart): string {
  const layout = layOut(chart);
  const legend = legendFor(layout);
  const width = Math.ceil(Math.max(layout.width, legend.width));
  const height = Math.ceil(layout.height + legend.height);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="pawl-chart" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escapeXml(`State chart: ${chart.name}`)}</title>`,
    `<desc>${escapeXml(describe(chart))}</desc>`,
    `<style>${style}</style>`,
    `<defs>${['main', 'plain', 'faint'].map(head).join('')}</defs>`,
    `<rect class="page" width="${width}" height="${height}" rx="8"/>`,
    ...['faint', 'plain', 'main'].flatMap((tier) =>
      layout.lines.filter(({ edge }) => edge.tier === tier).map(drawLine),
    ),
    ...layout.nodes.map((node) => drawNode(node, node.state.name === chart.initial)),
    ...layout.labels.map(drawLabel),
    ...legend.parts,
    '</svg>',
    '',
  ];
  return parts.join('\n');
}

function describe(chart: Chart): string {
  const states = statesOf(chart);
  const ends = states.filter((state) => state.kind === 'terminal').map((state) => state.name);
  const ending = ends.length === 0 ? 'It has no end.' : `It ends in ${ends.join(', ')}.`;
  return `${states.length} states, beginning with ${chart.initial}. ${ending}`;
}

function head(tier: string): string {
  const size = tier === 'main' ? 9 : 7;
  return `<marker id="pawl-${tier}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="${size}" markerHeight="${size}" markerUnits="userSpaceOnUse" orient="auto"><path class="head ${tier}" d="M0,0L8,4L0,8z"/></marker>`;
}

function drawLine({ edge, curves }: Line): string {
  const title = `${edge.from} → ${edge.to}\n${labelsOf(edge.moves).join('\n')}`;
  const path = `<path class="line ${edge.tier}" marker-end="url(#pawl-${edge.tier})" d="${pathOf(curves)}">`;
  return `${path}<title>${escapeXml(title)}</title></path>`;
}

function pathOf(curves: readonly Curve[]): string {
  const start = curves[0]?.[0] ?? [0, 0];
  const rest = curves.map(([, ...points]) => `C${points.map(pointOf).join(' ')}`);
  return `M${pointOf(start)}${rest.join('')}`;
}

function pointOf([x, y]: readonly [number, number]): string {
  return `${round(x)},${round(y)}`;
}

function drawNode({ state, box }: Node, isInitial: boolean): string {
  const { x, y, width, height } = box;
  const middle = round(x + width / 2);
  const start = `<circle class="start" cx="${middle}" cy="${round(y - 34)}" r="5"/><path class="line plain" marker-end="url(#pawl-plain)" d="M${middle},${round(y - 29)}V${round(y)}"/>`;
  return [
    `<g><title>${escapeXml(`${state.name}\n${state.description}`)}</title>`,
    isInitial ? start : '',
    `<rect class="${state.kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="8"/>`,
    `<text class="name" x="${middle}" y="${round(y + height / 2 + 4.5)}">${escapeXml(clip(state.name, nameMax))}</text></g>`,
  ].join('');
}

function drawLabel({ edge, box, texts }: Label): string {
  const x = round(box.x + box.width / 2);
  const lines = texts.map((text, index) => {
    const y = round(box.y + (index + 1) * lineHeight - 3);
    return `<tspan x="${x}" y="${y}">${escapeXml(text)}</tspan>`;
  });
  return `<text class="label ${edge.tier}">${lines.join('')}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
