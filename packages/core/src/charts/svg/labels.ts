import { along, overlap, type Box, type Curve } from './geometry.ts';
import { clip, widthOf } from './text.ts';
import type { TieredEdge } from './tiers.ts';

export type Label = { readonly edge: TieredEdge; readonly box: Box; readonly texts: readonly string[] };

const fontSize = 10.5;
export const lineHeight = 12;
const textMax = 27;
const linesMax = 2;

/** The edges to label, in this order; in a chart with many lines only the main ones, since all would cover each other. */
export function labelled(edges: readonly TieredEdge[], states: number): readonly TieredEdge[] {
  const written = edges.filter((edge) => edge.labels.length > 0);
  const main = written.filter((edge) => edge.tier === 'main');
  const plain = written.filter((edge) => edge.tier === 'plain');
  return main.length + plain.length > states * 2.5 ? main : [...main, ...plain];
}

/** What is written beside an edge; the rest, and all that is too long, is in its tooltip. */
function textsFor({ moves, labels }: TieredEdge): readonly string[] {
  const texts = labels.map((label) => {
    const event = moves.find((move) => move.label === label)?.on ?? label;
    return clip(label.length <= textMax ? label : event, textMax);
  });
  const each = [...new Set(texts)];
  return each.length <= linesMax
    ? each
    : [...each.slice(0, linesMax - 1), `and ${each.length - linesMax + 1} more`];
}

export function widthOfLabel(edge: TieredEdge): number {
  return Math.max(...textsFor(edge).map((text) => widthOf(text, fontSize)));
}

/** Puts each label on its line where it covers neither a state nor another label; where there is no room, none. */
export function placeLabels(
  lines: readonly { readonly edge: TieredEdge; readonly curves: readonly Curve[] }[],
  taken: readonly Box[],
): readonly Label[] {
  const labels: Label[] = [];
  for (const { edge, curves } of lines) {
    const boxes = curves.slice(0, 1).flatMap((curve) => places.map((at) => boxAt(edge, along(curve, at))));
    const others = [...taken, ...labels.map((label) => label.box)];
    const box = boxes.find((each) => !others.some((other) => overlap(each, other)));
    if (box !== undefined) labels.push({ edge, box, texts: textsFor(edge) });
  }
  return labels;
}

const places = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];

function boxAt(edge: TieredEdge, [x, y]: readonly [number, number]): Box {
  const width = widthOfLabel(edge);
  const height = textsFor(edge).length * lineHeight;
  return { x: x - width / 2, y: y - height / 2, width, height };
}
