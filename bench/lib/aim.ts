import { formatSignificant } from './format-figures.ts';

/** A performance claim, the measured value, and whether the claim holds. */
export type PerformanceAim = {
  readonly aim: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly measured: number;
  readonly met: boolean;
};

export function createUpperAim(aim: string, limit: number, measured: number): PerformanceAim {
  return { aim, atMost: limit, measured, met: measured <= limit };
}

export function createLowerAim(aim: string, limit: number, measured: number): PerformanceAim {
  return { aim, atLeast: limit, measured, met: measured >= limit };
}

export function formatAim({ aim, atMost: most, atLeast: least, measured, met }: PerformanceAim): string {
  const limit = most === undefined ? `at least ${least}` : `at most ${most}`;
  return `${met ? 'met   ' : 'MISSED'}  Pawl: ${limit} ${aim}; measured ${formatSignificant(measured)}`;
}
