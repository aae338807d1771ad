export type LayoutBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type LayoutPoint = readonly [x: number, y: number];

/** Start point, two control points and end point. */
export type BezierCurve = readonly [LayoutPoint, LayoutPoint, LayoutPoint, LayoutPoint];

/** Creates a curve that leaves and arrives vertically. */
export function createVerticalCurve(from: LayoutPoint, to: LayoutPoint): BezierCurve {
  const middle = (from[1] + to[1]) / 2;
  return [from, [from[0], middle], [to[0], middle], to];
}

export function createStraightCurve(from: LayoutPoint, to: LayoutPoint): BezierCurve {
  return [from, from, to, to];
}

/** Returns the point at the parameter `at` (0 to 1). */
export function getCurvePoint([start, startControl, endControl, end]: BezierCurve, at: number): LayoutPoint {
  const rest = 1 - at;
  const interpolate = (axis: 0 | 1): number =>
    rest ** 3 * start[axis] +
    3 * rest ** 2 * at * startControl[axis] +
    3 * rest * at ** 2 * endControl[axis] +
    at ** 3 * end[axis];
  return [interpolate(0), interpolate(1)];
}

export function areBoxesOverlapping(one: LayoutBox, other: LayoutBox): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
