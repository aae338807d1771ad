import { significant } from './figures.ts';

/** What we claim, what was measured, and whether the one holds the other up. */
export type Aim = {
  readonly aim: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly measured: number;
  readonly met: boolean;
};

export function atMost(aim: string, limit: number, measured: number): Aim {
  return { aim, atMost: limit, measured, met: measured <= limit };
}

export function atLeast(aim: string, limit: number, measured: number): Aim {
  return { aim, atLeast: limit, measured, met: measured >= limit };
}

export function aimLine({ aim, atMost: most, atLeast: least, measured, met }: Aim): string {
  const limit = most === undefined ? `at least ${least}` : `at most ${most}`;
  return `${met ? 'met   ' : 'MISSED'}  Pawl: ${limit} ${aim}; measured ${significant(measured)}`;
}
