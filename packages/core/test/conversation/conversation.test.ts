import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendItem,
  appendItems,
  emptyConversation,
  iterateItems,
  getLastItem,
  toItemArray,
  type ConversationHistory,
} from '../../src/index.ts';

const createRange = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);
const createNumberConversation = (length: number): ConversationHistory<number> =>
  appendItems<number>(emptyConversation, createRange(length));

describe('a conversation', () => {
  it('is initially empty', () => {
    expect(toItemArray(emptyConversation)).toEqual([]);
    expect(emptyConversation.length).toBe(0);
    expect(getLastItem(emptyConversation)).toBeUndefined();
  });

  it('holds the same items as a plain array, after any appends [LOOM-19]', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer(), { maxLength: 40 }), { maxLength: 40 }), (batches) => {
        let list: ConversationHistory<number> = emptyConversation;
        const plain: number[] = [];
        for (const batch of batches) {
          list = appendItems(list, batch);
          plain.push(...batch);
          expect(list.length).toBe(plain.length);
          expect(getLastItem(list)).toBe(plain.at(-1));
        }
        expect(toItemArray(list)).toEqual(plain);
        expect([...iterateItems(list)]).toEqual(plain);
      }),
      { numRuns: 60 },
    );
  });

  it('holds thousands of items at any length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6_000 }), (length) => {
        expect(toItemArray(createNumberConversation(length))).toEqual(createRange(length));
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    [272, 1],
    [273, 2],
    [4_112, 2],
    [4_113, 3],
  ])('of %i items is %i levels deep', (length, depth) => {
    expect(createNumberConversation(length).depth).toBe(depth);
  });

  it.each([
    1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 271, 272, 273, 288, 289, 4_096, 4_097, 4_112, 4_113, 4_129,
  ])('is complete at a length of %i, at the boundary of a leaf or level', (length) => {
    const list = createNumberConversation(length);
    expect(list.length).toBe(length);
    expect(toItemArray(list)).toEqual(createRange(length));
    expect(getLastItem(list)).toBe(length - 1);
  });

  it('leaves every earlier version unchanged, whichever is appended to [LOOM-76]', () => {
    const versions: ConversationHistory<number>[] = [emptyConversation];
    for (const item of createRange(600)) versions.push(appendItem(versions[item] ?? emptyConversation, item));
    for (const [length, version] of versions.entries()) appendItem(version, -length);
    for (const [length, version] of versions.entries())
      expect(toItemArray(version)).toEqual(createRange(length));
  });

  it('branches: two conversations derived from one are independent', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.nat(40), fc.nat(40), (length, left, right) => {
        const trunk = createNumberConversation(length);
        const one = appendItems(trunk, createRange(left));
        const two = appendItems(
          trunk,
          Array.from({ length: right }, () => -1),
        );
        expect(toItemArray(one)).toEqual([...createRange(length), ...createRange(left)]);
        expect(toItemArray(two)).toEqual([
          ...createRange(length),
          ...Array.from({ length: right }, () => -1),
        ]);
      }),
      { numRuns: 60 },
    );
  });

  it('is plain JSON, and can be appended to after a round trip', () => {
    fc.assert(
      fc.property(fc.nat(5_000), (length) => {
        const list = createNumberConversation(length);
        const repeated = JSON.parse(JSON.stringify(list)) as ConversationHistory<number>;
        expect(repeated).toStrictEqual(list);
        expect(appendItem(repeated, 7)).toStrictEqual(appendItem(list, 7));
      }),
      { numRuns: 20 },
    );
  });
});
