import { describe } from 'vitest';
import { createInMemoryStorage } from '../../src/memory/in-memory-storage.ts';
import { keepsItsPromises } from './storage-contract.ts';

describe('storage in memory', () => {
  keepsItsPromises(createInMemoryStorage);
});
