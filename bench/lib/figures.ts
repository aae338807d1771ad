import type { Summary } from './statistics.ts';

/** Three digits: more would be noise. */
export function significant(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

export function spread({ min, max }: Summary): string {
  return `${significant(min)}..${significant(max)}`;
}
