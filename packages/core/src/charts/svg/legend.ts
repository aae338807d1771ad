import type { ChartState } from '../chart.ts';
import type { Layout } from './layout.ts';
import { clip, escapeXml, widthOf } from './text.ts';
import type { Common } from './tiers.ts';

type Legend = { readonly parts: readonly string[]; readonly width: number; readonly height: number };

const meanings: Readonly<Record<ChartState['kind'], string>> = {
  waiting: 'waits for an event',
  passing: 'is passed through',
  terminal: 'is an end',
};
const margin = 36;
const fontSize = 11;
const lineHeight = 17;
const space = 14;
const sampleWidth = 150;

/** What the boxes mean, and in words what the faint lines say. */
export function legendFor({ nodes, width, height, common }: Layout): Legend {
  const kinds = [...new Set(nodes.map(({ state }) => state.kind))];
  const texts = [
    ...wrap('From nearly every state: ', inWords(common, 'to'), width),
    ...wrap('To nearly every state: ', inWords(common, 'from'), width),
  ];
  const top = height + space;
  return {
    parts: [
      ...kinds.map((kind, index) => sample(kind, margin + index * sampleWidth, top)),
      ...texts.map((text, index) => written(text, margin, top + (index + 1) * lineHeight)),
    ],
    width: Math.max(kinds.length * sampleWidth, ...texts.map((text) => widthOf(text, fontSize))) + 2 * margin,
    height: space + (texts.length + 1) * lineHeight,
  };
}

function inWords(common: readonly Common[], end: Common['end']): readonly string[] {
  const groups = Map.groupBy(
    common.filter((each) => each.end === end),
    (each) => each.at,
  );
  return [...groups].map(([at, group]) => {
    const [events, state] = [clip(group.map(({ event }) => event).join(', '), 60), clip(at, 40)];
    return end === 'to' ? `${events} → ${state}` : `${events}, from ${state}`;
  });
}

/** The items in lines no wider than the drawing, as far as they can be broken. */
function wrap(intro: string, texts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const longer = `${lines.at(-1) ?? intro}${lines.length === 0 ? '' : ' · '}${text}`;
    if (lines.length === 0) lines.push(longer);
    else if (widthOf(longer, fontSize) > width - 2 * margin) lines.push(text);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function sample(kind: ChartState['kind'], x: number, y: number): string {
  return `<rect class="${kind}" x="${x}" y="${y - 9}" width="18" height="11" rx="3"/>${written(meanings[kind], x + 25, y)}`;
}

function written(text: string, x: number, y: number): string {
  return `<text class="legend" x="${x}" y="${y}">${escapeXml(text)}</text>`;
}
