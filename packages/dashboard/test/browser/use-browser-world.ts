import { afterAll, afterEach, beforeAll } from 'vitest';
import { startBrowserWorld, type BrowserWorld } from './browser-world.ts';

/** One world for all tests of a file, filled once. The pages that a test has opened are closed after it. */
export function useBrowserWorld(
  fill: (world: BrowserWorld) => Promise<void> = async () => undefined,
): () => BrowserWorld {
  let world: BrowserWorld | null = null;
  beforeAll(async () => {
    world = await startBrowserWorld();
    await fill(world);
  });
  afterEach(() => world?.closePages());
  afterAll(() => world?.close());
  return () => {
    if (world === null) throw new Error('The world is there only while tests run.');
    return world;
  };
}
