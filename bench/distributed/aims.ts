import { createLowerAim, createUpperAim, type PerformanceAim } from '../lib/aim.ts';
import type { DistributedResult } from './measure.ts';

/** The claims in docs/scaling.md. */
export function listDistributedAims({
  environment: { cores },
  rows,
  fairness,
  takeover,
}: DistributedResult): readonly PerformanceAim[] {
  const [first] = rows;
  const long = rows.filter(({ steps }) => steps === first?.steps);
  // Workers beyond the available cores, minus one for Redis, only share the same cores.
  const fitting = long.filter(({ workers }) => workers <= Math.max(1, cores - 1));
  return [
    ...fitting.map(({ workers, ofRaw }) =>
      createLowerAim(`of the messages of raw BullMQ, ${formatWorkerCount(workers)}`, 0.6, ofRaw.median),
    ),
    createUpperAim(
      'times as long for a tenant next to one with far more work',
      3,
      fairness.besideSeconds / fairness.aloneSeconds,
    ),
    createUpperAim('s until a session continues after its worker was killed', 15, takeover.seconds.median),
  ];
}

function formatWorkerCount(workers: number): string {
  return workers === 1 ? '1 worker' : `${workers} workers`;
}
