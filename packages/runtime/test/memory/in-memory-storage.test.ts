import { describe } from 'vitest';
import { createInMemoryStorage } from '../../src/memory/in-memory-storage.ts';
import { describeStorageContract } from './storage-contract.ts';

describe('storage in memory', () => {
  describeStorageContract(createInMemoryStorage);
});
