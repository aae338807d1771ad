import type { ChartState } from '@pawl/core/charts';
import type { ChartLayout } from './layout.ts';
import { clipToOneLine, escapeSvgText, estimateTextWidth } from './text.ts';
import type { CommonEvent } from './edge-tiers.ts';

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
export function buildChartLegend({ nodes, width, height, common }: ChartLayout): ChartLegend {
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
