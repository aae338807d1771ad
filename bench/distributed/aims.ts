import { atLeast, atMost, type Aim } from '../lib/aim.ts';
import type { Measured } from './measure.ts';

/** What docs/scaling.md claims. */
export function aims({ environment: { cores }, rows, fairness, takeover }: Measured): readonly Aim[] {
  const [first] = rows;
  const long = rows.filter(({ steps }) => steps === first?.steps);
  // With fewer cores than workers and Redis need, more workers only share what there is.
  const fitting = long.filter(({ workers }) => workers <= Math.max(1, cores - 1));
  return [
    ...fitting.map(({ workers, ofRaw }) =>
      atLeast(`of the messages of raw BullMQ, ${workersText(workers)}`, 0.6, ofRaw.median),
    ),
    atMost(
      'times as long for a tenant beside one with far more to do',
      3,
      fairness.besideSeconds / fairness.aloneSeconds,
    ),
    atMost('s until a session goes on after its worker was killed', 15, takeover.seconds.median),
  ];
}

function workersText(workers: number): string {
  return workers === 1 ? '1 worker' : `${workers} workers`;
}
