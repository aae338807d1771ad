import { formatAim, type PerformanceAim } from './aim.ts';
import type { readBenchMachine } from './environment.ts';
import { formatSpread } from './format-figures.ts';
import { rotateItems } from './interleave.ts';
import { computePairedRatios, summarizeSamples, type SampleSummary } from './statistics.ts';
import { formatBenchTable } from './table.ts';

/** Results of starting processes repeatedly, compared to a bare Node process. */
export type StartTimings = {
  readonly environment: ReturnType<typeof readBenchMachine>;
  readonly rounds: number;
  readonly milliseconds: readonly (SampleSummary & {
    readonly name: string;
    readonly byNode: SampleSummary;
  })[];
  readonly aims: readonly PerformanceAim[];
};

/**
 * Measures the milliseconds of each command and its ratio to the first command, which does nothing. Each round starts
 * every command once in rotating order; warm-up rounds have negative numbers.
 */
export function measureProcessStarts<Command extends { readonly name: string }>(
  commands: readonly Command[],
  time: (command: Command, round: number) => number,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): StartTimings['milliseconds'] {
  const slots = commands.map((command) => ({ command, samples: [] as number[] }));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const { command, samples } of rotateItems(slots, round + warmUp)) {
      const elapsedMs = time(command, round);
      if (round >= 0) samples.push(elapsedMs);
    }
  }
  const bare = slots[0]?.samples ?? [];
  return slots.map(({ command: { name }, samples }) => ({
    name,
    ...summarizeSamples(samples),
    byNode: summarizeSamples(computePairedRatios(samples, bare)),
  }));
}

export function formatStartsReport({
  environment: { node, cpu, cores, load },
  rounds,
  milliseconds,
  aims,
}: StartTimings): string {
  return [
    `Node ${node}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nTime that elapses; medians of ${rounds} interleaved rounds`,
    formatBenchTable(
      ['start to end', 'ms', 'min..max', 'by node'],
      milliseconds.map(({ name, median, min, max, byNode }) => [
        name,
        median.toFixed(0),
        formatSpread({ median, min, max }),
        byNode.median.toFixed(2),
      ]),
    ),
    aims.map(formatAim).join('\n'),
  ].join('\n\n');
}
