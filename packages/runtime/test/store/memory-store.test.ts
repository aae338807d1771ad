import { describe } from 'vitest';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { describeStoreContract } from './store-contract.ts';

describe('a store in memory', () => {
  describeStoreContract(() => {
    const store = createMemoryStore();
    return () => store;
  });
});
