import { aimLine, type Aim } from './aim.ts';
import type { environment } from './environment.ts';
import { spread } from './figures.ts';
import type { Summary } from './statistics.ts';
import { table } from './table.ts';

/** What came of starting processes again and again, each beside a bare Node. */
export type Starts = {
  readonly environment: ReturnType<typeof environment>;
  readonly rounds: number;
  readonly milliseconds: readonly (Summary & { readonly name: string; readonly byNode: Summary })[];
  readonly aims: readonly Aim[];
};

export function startsReport({
  environment: { node, cpu, cores, load },
  rounds,
  milliseconds,
  aims,
}: Starts): string {
  return [
    `Node ${node}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nTime that elapses; medians of ${rounds} interleaved rounds`,
    table(
      ['start to end', 'ms', 'min..max', 'by node'],
      milliseconds.map(({ name, median, min, max, byNode }) => [
        name,
        median.toFixed(0),
        spread({ median, min, max }),
        byNode.median.toFixed(2),
      ]),
    ),
    aims.map(aimLine).join('\n'),
  ].join('\n\n');
}
