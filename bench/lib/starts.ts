import { aimLine, type Aim } from './aim.ts';
import type { environment } from './environment.ts';
import { spread } from './figures.ts';
import { rotated } from './interleave.ts';
import { pairedRatios, summarise, type Summary } from './statistics.ts';
import { table } from './table.ts';

/** What came of starting processes again and again, each beside a bare Node. */
export type Starts = {
  readonly environment: ReturnType<typeof environment>;
  readonly rounds: number;
  readonly milliseconds: readonly (Summary & { readonly name: string; readonly byNode: Summary })[];
  readonly aims: readonly Aim[];
};

/**
 * Milliseconds that each command takes, by the first of them as well, which does nothing. Each round starts every command once,
 * beginning with another; the rounds before the first that counts have negative numbers.
 */
export function measureStarts<Command extends { readonly name: string }>(
  commands: readonly Command[],
  time: (command: Command, round: number) => number,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Starts['milliseconds'] {
  const slots = commands.map((command) => ({ command, samples: [] as number[] }));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const { command, samples } of rotated(slots, round + warmUp)) {
      const taken = time(command, round);
      if (round >= 0) samples.push(taken);
    }
  }
  const bare = slots[0]?.samples ?? [];
  return slots.map(({ command: { name }, samples }) => ({
    name,
    ...summarise(samples),
    byNode: summarise(pairedRatios(samples, bare)),
  }));
}

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
