import { listChartStates, listMoveLabels, type Chart } from '@pawl/core/charts';
import {
  computeChartLayout,
  labelLineHeight,
  nodeNameMax,
  type EdgeLabel,
  type EdgeLine,
  type LayoutNode,
} from './svg/layout.ts';
import { buildChartLegend } from './svg/legend.ts';
import { chartStylesheet } from './svg/style.ts';
import { clipToOneLine, escapeSvgText } from './svg/text.ts';

/**
 * Renders a chart as a self-contained SVG: layers from the initial state down, the main path in bold, edges shared by
 * nearly every state faint. Tooltips on lines and states show the details.
 */
export async function toSvg(chart: Chart): Promise<string> {
  const layout = await computeChartLayout(chart);
  const legend = buildChartLegend(layout);
  const width = Math.ceil(Math.max(layout.width, legend.width));
  const height = Math.ceil(layout.height + legend.height);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="pawl-chart" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escapeSvgText(`State chart: ${chart.name}`)}</title>`,
    `<desc>${escapeSvgText(describeChart(chart))}</desc>`,
    `<style>${chartStylesheet}</style>`,
    `<defs>${['main', 'plain', 'faint'].map(renderArrowHead).join('')}</defs>`,
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

function describeChart(chart: Chart): string {
  const states = listChartStates(chart);
  const ends = states.filter((state) => state.kind === 'terminal').map((state) => state.name);
  const ending = ends.length === 0 ? 'It has no end.' : `It ends in ${ends.join(', ')}.`;
  return `${states.length} states, beginning with ${chart.initial}. ${ending}`;
}

function renderArrowHead(tier: string): string {
  const size = tier === 'main' ? 9 : 7;
  return `<marker id="pawl-${tier}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="${size}" markerHeight="${size}" markerUnits="userSpaceOnUse" orient="auto"><path class="head ${tier}" d="M0,0L8,4L0,8z"/></marker>`;
}

function drawLine({ edge, points }: EdgeLine): string {
  const title = `${edge.from} → ${edge.to}\n${listMoveLabels(edge.moves).join('\n')}`;
  const path = `<path class="line ${edge.tier}" marker-end="url(#pawl-${edge.tier})" d="${formatCurvePath(points)}">`;
  return `${path}<title>${escapeSvgText(title)}</title></path>`;
}

/** Every three points after the first form a curve; other lines are straight between their points. */
function formatCurvePath([start, ...rest]: EdgeLine['points']): string {
  if (start === undefined) return '';
  if (rest.length % 3 !== 0)
    return `M${formatPoint(start)}${rest.map((each) => `L${formatPoint(each)}`).join('')}`;
  const curves = Array.from({ length: rest.length / 3 }, (_, index) => rest.slice(index * 3, index * 3 + 3));
  return `M${formatPoint(start)}${curves.map((curve) => `C${curve.map(formatPoint).join(' ')}`).join('')}`;
}

function formatPoint({ x, y }: EdgeLine['points'][number]): string {
  return `${roundToTenth(x)},${roundToTenth(y)}`;
}

function drawNode({ state, box }: LayoutNode, isInitial: boolean): string {
  const { x, y, width, height } = box;
  const middle = roundToTenth(x + width / 2);
  const start = `<circle class="start" cx="${middle}" cy="${roundToTenth(y - 34)}" r="5"/><path class="line plain" marker-end="url(#pawl-plain)" d="M${middle},${roundToTenth(y - 29)}V${roundToTenth(y)}"/>`;
  return [
    `<g><title>${escapeSvgText(`${state.name}\n${state.description}`)}</title>`,
    isInitial ? start : '',
    `<rect class="${state.kind}" x="${roundToTenth(x)}" y="${roundToTenth(y)}" width="${roundToTenth(width)}" height="${roundToTenth(height)}" rx="8"/>`,
    `<text class="name" x="${middle}" y="${roundToTenth(y + height / 2 + 4.5)}">${escapeSvgText(clipToOneLine(state.name, nodeNameMax))}</text></g>`,
  ].join('');
}

function drawLabel({ edge, box, texts }: EdgeLabel): string {
  const x = roundToTenth(box.x + box.width / 2);
  const lines = texts.map((text, index) => {
    const y = roundToTenth(box.y + (index + 1) * labelLineHeight - 3);
    return `<tspan x="${x}" y="${y}">${escapeSvgText(text)}</tspan>`;
  });
  return `<text class="label ${edge.tier}">${lines.join('')}</text>`;
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
