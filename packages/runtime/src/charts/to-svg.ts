import { listChartStates, listMoveLabels, type Chart, type ChartState } from '@pawl/core/charts';
import {
  computeChartLayout,
  labelLineHeight,
  nodeNameMax,
  clipToOneLine,
  escapeSvgText,
  estimateTextWidth,
  type EdgeLabel,
  type EdgeLine,
  type LayoutNode,
  type ChartLayout,
  type CommonEvent,
} from './svg-layout.ts';

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

type ChartLegend = { readonly parts: readonly string[]; readonly width: number; readonly height: number };

const stateKindMeanings: Readonly<Record<ChartState['kind'], string>> = {
  waiting: 'waits for an event',
  passing: 'is passed through',
  terminal: 'is an end',
};
const legendMargin = 36;
const legendFontSize = 11;
const legendLineHeight = 17;
const legendSpacing = 14;
const sampleWidth = 150;

/** Builds the legend: the meaning of the boxes, and the faint lines in words. */
function buildChartLegend({ nodes, width, height, common }: ChartLayout): ChartLegend {
  const kinds = [...new Set(nodes.map(({ state }) => state.kind))];
  const texts = [
    ...wrapLegendItems('From nearly every state: ', describeCommonEvents(common, 'to'), width),
    ...wrapLegendItems('To nearly every state: ', describeCommonEvents(common, 'from'), width),
  ];
  const top = height + legendSpacing;
  return {
    parts: [
      ...kinds.map((kind, index) => renderLegendSample(kind, legendMargin + index * sampleWidth, top)),
      ...texts.map((text, index) =>
        renderLegendText(text, legendMargin, top + (index + 1) * legendLineHeight),
      ),
    ],
    width:
      Math.max(kinds.length * sampleWidth, ...texts.map((text) => estimateTextWidth(text, legendFontSize))) +
      2 * legendMargin,
    height: legendSpacing + (texts.length + 1) * legendLineHeight,
  };
}

function describeCommonEvents(common: readonly CommonEvent[], end: CommonEvent['end']): readonly string[] {
  const groups = Map.groupBy(
    common.filter((each) => each.end === end),
    (each) => each.at,
  );
  return [...groups].map(([at, group]) => {
    const [events, state] = [
      clipToOneLine(group.map(({ event }) => event).join(', '), 60),
      clipToOneLine(at, 40),
    ];
    return end === 'to' ? `${events} → ${state}` : `${events}, from ${state}`;
  });
}

/** Wraps the items into lines no wider than the drawing, where possible. */
function wrapLegendItems(intro: string, texts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const longer = `${lines.at(-1) ?? intro}${lines.length === 0 ? '' : ' · '}${text}`;
    if (lines.length === 0) lines.push(longer);
    else if (estimateTextWidth(longer, legendFontSize) > width - 2 * legendMargin) lines.push(text);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function renderLegendSample(kind: ChartState['kind'], x: number, y: number): string {
  return `<rect class="${kind}" x="${x}" y="${y - 9}" width="18" height="11" rx="3"/>${renderLegendText(stateKindMeanings[kind], x + 25, y)}`;
}

function renderLegendText(text: string, x: number, y: number): string {
  return `<text class="legend" x="${x}" y="${y}">${escapeSvgText(text)}</text>`;
}

const lightPalette = {
  page: '#ffffff',
  ink: '#1f2328',
  soft: '#59636e',
  main: '#0969da',
  plain: '#a3acb6',
  faint: '#e3e7eb',
  waiting: '#ddf4ff',
  passing: '#f6f8fa',
  terminal: '#ffebe9',
  end: '#cf222e',
};

const darkPalette: typeof lightPalette = {
  page: '#0d1117',
  ink: '#f0f6fc',
  soft: '#9198a1',
  main: '#4493f8',
  plain: '#59636e',
  faint: '#242a32',
  waiting: '#10243e',
  passing: '#151b23',
  terminal: '#3c1618',
  end: '#f85149',
};

/**
 * Every rule is scoped to one class, so that an inlined drawing does not style the rest of the page. CSS variables are
 * avoided because some renderers do not support them.
 */
const chartStylesheet = [
  '.pawl-chart text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px;text-anchor:middle}',
  '.pawl-chart .label{font-size:10.5px;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}',
  '.pawl-chart .legend{font-size:11px;text-anchor:start}',
  '.pawl-chart .line{fill:none;stroke-width:1.1px}',
  '.pawl-chart .line.main{stroke-width:2.2px}',
  '.pawl-chart .passing{stroke-dasharray:4 3}',
  '.pawl-chart .terminal{stroke-width:2px}',
  ...buildStyleRules(lightPalette),
  `@media (prefers-color-scheme:dark){${buildStyleRules(darkPalette).join('')}}`,
].join('\n');

function buildStyleRules(palette: typeof lightPalette): readonly string[] {
  const { page, ink, soft, main, plain, faint, waiting, passing, terminal, end } = palette;
  return [
    `.pawl-chart .page{fill:${page}}`,
    `.pawl-chart .name,.pawl-chart .start{fill:${ink}}`,
    `.pawl-chart .legend{fill:${soft}}`,
    `.pawl-chart .label{fill:${soft};stroke:${page}}`,
    `.pawl-chart .label.main{fill:${main}}`,
    ...Object.entries({ main, plain, faint }).flatMap(([tier, color]) => [
      `.pawl-chart .line.${tier}{stroke:${color}}`,
      `.pawl-chart .head.${tier}{fill:${color}}`,
    ]),
    `.pawl-chart .waiting{fill:${waiting};stroke:${main}}`,
    `.pawl-chart .passing{fill:${passing};stroke:${soft}}`,
    `.pawl-chart .terminal{fill:${terminal};stroke:${end}}`,
  ];
}
