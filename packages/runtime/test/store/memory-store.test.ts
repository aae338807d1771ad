import { describe } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { keepsItsPromises } from './store-contract.ts';

describe('a store in memory', () => {
  keepsItsPromises(() => {
    const store = createMemoryStore();
    return () => store;
  });
});
