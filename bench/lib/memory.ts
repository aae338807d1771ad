import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// The flag can be set at run time, so Node need not be started with it.
setFlagsFromString('--expose_gc');
const gc = runInNewContext('gc') as () => void;

export function collectGarbage(): void {
  gc();
}

/** Measures the heap bytes of each of `count` objects, without the array that holds them. */
export function measureBytesEach(count: number, create: (index: number) => unknown): number {
  // Create one-time data first, such as compiled code and object shapes.
  for (let index = 0; index < 1_000; index += 1) create(index);
  const kept: unknown[] = Array.from({ length: count }, () => null);
  const before = measureHeapUsed();
  for (let index = 0; index < count; index += 1) kept[index] = create(index);
  const after = measureHeapUsed();
  // Reading the array afterwards keeps it and its contents alive until now.
  return kept.length === count ? (after - before) / count : Number.NaN;
}

/** Collects twice, because objects released by the first collection may free more in the second. */
function measureHeapUsed(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
