import { afterAll, afterEach, beforeAll } from 'vitest';
import { startBrowserWorld, type BrowserWorld } from './browser-world.ts';

/** Shares one world between all tests of a file, and closes the pages of each test after it. */
export function useBrowserWorld(
  setUp: (world: BrowserWorld) => Promise<void> = async () => undefined,
): () => BrowserWorld {
  let world: BrowserWorld | null = null;
  beforeAll(async () => {
    world = await startBrowserWorld();
    await setUp(world);
  });
  afterEach(() => world?.closePages());
  afterAll(() => world?.close());
  return () => {
    if (world === null) throw new Error('The browser world exists only while tests run.');
    return world;
  };
}
