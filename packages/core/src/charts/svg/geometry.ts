export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export type Point = readonly [x: number, y: number];

/** Start, two points that pull it, and end. */
export type Curve = readonly [Point, Point, Point, Point];

/** Leaves and arrives upright. */
export function upright(from: Point, to: Point): Curve {
  const middle = (from[1] + to[1]) / 2;
  return [from, [from[0], middle], [to[0], middle], to];
}

export function straight(from: Point, to: Point): Curve {
  return [from, from, to, to];
}

/** The point a part `at` (0 to 1) of the way along. */
export function along([start, pull, push, end]: Curve, at: number): Point {
  const rest = 1 - at;
  const mix = (axis: 0 | 1): number =>
    rest ** 3 * start[axis] +
    3 * rest ** 2 * at * pull[axis] +
    3 * rest * at ** 2 * push[axis] +
    at ** 3 * end[axis];
  return [mix(0), mix(1)];
}

export function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
