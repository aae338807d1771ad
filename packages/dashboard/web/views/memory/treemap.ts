export type TreemapBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/**
 * Fills a rectangle with one box per size, as square as possible (the squarified layout of Bruls, Huizing and van
 * Wijk). Sizes must be in descending order; a size of zero gets an empty box.
 */
export function layOutTreemap(
  sizes: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): readonly TreemapBox[] {
  const total = sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  if (total <= 0 || width <= 0 || height <= 0) return sizes.map(() => ({ x: 0, y: 0, width: 0, height: 0 }));
  const areas = sizes.map((size) => (Math.max(0, size) / total) * width * height);
  const boxes: TreemapBox[] = [];
  let free: TreemapBox = { x: 0, y: 0, width, height };
  let start = 0;
  while (start < areas.length) {
    const end = findRowEnd(areas, start, Math.min(free.width, free.height));
    const row = areas.slice(start, end);
    const layout = layOutRow(row, free);
    boxes.push(...layout.boxes);
    free = layout.rest;
    start = end;
  }
  return boxes;
}

/** Adds areas to a row as long as that makes its boxes squarer. */
function findRowEnd(areas: readonly number[], start: number, side: number): number {
  let sum = areas[start] ?? 0;
  let worst = computeAspectRatio(sum, sum, { sum, side });
  let end = start + 1;
  for (; end < areas.length; end += 1) {
    const next = sum + (areas[end] ?? 0);
    const worse = computeAspectRatio(areas[start] ?? 0, areas[end] ?? 0, { sum: next, side });
    if (worse > worst) break;
    worst = worse;
    sum = next;
  }
  return end;
}

/** Worst aspect ratio in a row, given its largest and smallest area. */
function computeAspectRatio(
  largest: number,
  smallest: number,
  { sum, side }: { readonly sum: number; readonly side: number },
): number {
  if (smallest <= 0 || sum <= 0 || side <= 0) return Infinity;
  const square = (side * side) / (sum * sum);
  return Math.max(square * largest, 1 / (square * smallest));
}

/** Lays out a row along the shorter side of the free space. */
function layOutRow(
  row: readonly number[],
  free: TreemapBox,
): { readonly boxes: readonly TreemapBox[]; readonly rest: TreemapBox } {
  const sum = row.reduce((total, area) => total + area, 0);
  const isVertical = free.width >= free.height;
  const side = isVertical ? free.height : free.width;
  const depth = side > 0 ? sum / side : 0;
  const boxes: TreemapBox[] = [];
  let offset = 0;
  for (const area of row) {
    const length = depth > 0 ? area / depth : 0;
    boxes.push(
      isVertical
        ? { x: free.x, y: free.y + offset, width: depth, height: length }
        : { x: free.x + offset, y: free.y, width: length, height: depth },
    );
    offset += length;
  }
  const rest = isVertical
    ? { ...free, x: free.x + depth, width: Math.max(0, free.width - depth) }
    : { ...free, y: free.y + depth, height: Math.max(0, free.height - depth) };
  return { boxes, rest };
}
