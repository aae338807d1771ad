import { afterEach, describe } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { quickFolder } from '../store/sqlite-io-faults-tracing.ts';
import { keepsCommands } from './channel-contract.ts';

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

describe('commands in memory', () => {
  keepsCommands(() => {
    const store = createMemoryStore();
    return () => store;
  });
});

describe('commands in SQLite', () => {
  keepsCommands(() => {
    const folder = quickFolder();
    cleanUps.push(() => folder[Symbol.dispose]());
    return () => {
      const store = openSqliteStore(folder.at('sessions.db'));
      cleanUps.push(() => store.close());
      return store;
    };
  });
});
