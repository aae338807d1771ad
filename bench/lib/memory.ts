import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// The flag can be set while running, which spares everyone from starting Node with it.
setFlagsFromString('--expose_gc');
const gc = runInNewContext('gc') as () => void;

export function collectGarbage(): void {
  gc();
}

/** Bytes of heap that each of `count` things costs while it is kept; the array that keeps them is not counted. */
export function bytesEach(count: number, create: (index: number) => unknown): number {
  // Whatever is made only once (compiled code, shapes) is made here.
  for (let index = 0; index < 1_000; index += 1) create(index);
  const kept: unknown[] = Array.from({ length: count }, () => null);
  const before = heapUsed();
  for (let index = 0; index < count; index += 1) kept[index] = create(index);
  const after = heapUsed();
  // Reading the array afterwards is what keeps it, and so everything in it, alive until now.
  return kept.length === count ? (after - before) / count : Number.NaN;
}

/** What a first collection lets go of may free more in a second. */
function heapUsed(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
