import { getCurvePoint, areBoxesOverlapping, type LayoutBox, type BezierCurve } from './geometry.ts';
import { clipToOneLine, estimateTextWidth } from './text.ts';
import type { TieredEdge } from './edge-tiers.ts';

export type EdgeLabel = {
  readonly edge: TieredEdge;
  readonly box: LayoutBox;
  readonly texts: readonly string[];
};

const labelFontSize = 10.5;
export const labelLineHeight = 12;
const labelLengthMax = 27;
const labelLinesMax = 2;

/** Selects the edges to label, in order; in a dense chart only the main ones, because labels would overlap. */
export function selectLabeledEdges(edges: readonly TieredEdge[], states: number): readonly TieredEdge[] {
  const labeled = edges.filter((edge) => edge.labels.length > 0);
  const main = labeled.filter((edge) => edge.tier === 'main');
  const plain = labeled.filter((edge) => edge.tier === 'plain');
  return main.length + plain.length > states * 2.5 ? main : [...main, ...plain];
}

/** Returns the label lines of an edge; longer and further labels appear only in its tooltip. */
function listLabelTexts({ moves, labels }: TieredEdge): readonly string[] {
  const texts = labels.map((label) => {
    const event = moves.find((move) => move.label === label)?.on ?? label;
    return clipToOneLine(label.length <= labelLengthMax ? label : event, labelLengthMax);
  });
  const unique = [...new Set(texts)];
  return unique.length <= labelLinesMax
    ? unique
    : [...unique.slice(0, labelLinesMax - 1), `and ${unique.length - labelLinesMax + 1} more`];
}

export function measureEdgeLabel(edge: TieredEdge): number {
  return Math.max(...listLabelTexts(edge).map((text) => estimateTextWidth(text, labelFontSize)));
}

/** Places each label on its line where it overlaps neither a state nor another label; omits it if there is no room. */
export function placeLabels(
  lines: readonly { readonly edge: TieredEdge; readonly curves: readonly BezierCurve[] }[],
  obstacles: readonly LayoutBox[],
): readonly EdgeLabel[] {
  const labels: EdgeLabel[] = [];
  for (const { edge, curves } of lines) {
    const boxes = curves
      .slice(0, 1)
      .flatMap((curve) => labelPositions.map((at) => createLabelBox(edge, getCurvePoint(curve, at))));
    const others = [...obstacles, ...labels.map((label) => label.box)];
    const box = boxes.find((each) => !others.some((other) => areBoxesOverlapping(each, other)));
    if (box !== undefined) labels.push({ edge, box, texts: listLabelTexts(edge) });
  }
  return labels;
}

const labelPositions = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];

function createLabelBox(edge: TieredEdge, [x, y]: readonly [number, number]): LayoutBox {
  const width = measureEdgeLabel(edge);
  const height = listLabelTexts(edge).length * labelLineHeight;
  return { x: x - width / 2, y: y - height / 2, width, height };
}
