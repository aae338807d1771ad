import { afterAll, afterEach, beforeAll } from 'vitest';
import { start, type Started } from './started.ts';

/** One world for all tests of a file, filled once. The pages that a test has opened are closed after it. */
export function withWorld(fill: (world: Started) => Promise<void> = async () => undefined): () => Started {
  let world: Started | null = null;
  beforeAll(async () => {
    world = await start();
    await fill(world);
  }, 120_000);
  afterEach(() => world?.closePages());
  afterAll(() => world?.close());
  return () => {
    if (world === null) throw new Error('The world is there only while tests run.');
    return world;
  };
}
