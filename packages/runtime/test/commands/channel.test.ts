import { afterEach, describe } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { createMemoryFolder } from '../store/sqlite-io-faults-tracing.ts';
import { describeCommandContract } from './channel-contract.ts';

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

describe('commands in memory', () => {
  describeCommandContract(() => {
    const store = createMemoryStore();
    return () => store;
  });
});

describe('commands in SQLite', () => {
  describeCommandContract(() => {
    const folder = createMemoryFolder();
    cleanUps.push(() => folder[Symbol.dispose]());
    return () => {
      const store = openSqliteStore(folder.at('sessions.db'));
      cleanUps.push(() => store.close());
      return store;
    };
  });
});
