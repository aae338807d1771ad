import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  append,
  appendAll,
  emptyConversation,
  items,
  lastItem,
  toArray,
  type Conversation,
} from '../../src/index.ts';

const upTo = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);
const listOf = (length: number): Conversation<number> => appendAll<number>(emptyConversation, upTo(length));

describe('a conversation', () => {
  it('is empty at first', () => {
    expect(toArray(emptyConversation)).toEqual([]);
    expect(emptyConversation.length).toBe(0);
    expect(lastItem(emptyConversation)).toBeUndefined();
  });

  it('holds what a plain array would hold, after any appends [LOOM-19]', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer(), { maxLength: 40 }), { maxLength: 40 }), (batches) => {
        let list: Conversation<number> = emptyConversation;
        const plain: number[] = [];
        for (const batch of batches) {
          list = appendAll(list, batch);
          plain.push(...batch);
          expect(list.length).toBe(plain.length);
          expect(lastItem(list)).toBe(plain.at(-1));
        }
        expect(toArray(list)).toEqual(plain);
        expect([...items(list)]).toEqual(plain);
      }),
      { numRuns: 60 },
    );
  });

  it('holds thousands of items at any length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6_000 }), (length) => {
        expect(toArray(listOf(length))).toEqual(upTo(length));
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
    expect(listOf(length).depth).toBe(depth);
  });

  it.each([
    1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 271, 272, 273, 288, 289, 4_096, 4_097, 4_112, 4_113, 4_129,
  ])('is whole at a length of %i, where leaves and levels begin or end', (length) => {
    const list = listOf(length);
    expect(list.length).toBe(length);
    expect(toArray(list)).toEqual(upTo(length));
    expect(lastItem(list)).toBe(length - 1);
  });

  it('leaves every earlier version as it was, whichever is appended to [LOOM-76]', () => {
    const versions: Conversation<number>[] = [emptyConversation];
    for (const item of upTo(600)) versions.push(append(versions[item] ?? emptyConversation, item));
    for (const [length, version] of versions.entries()) append(version, -length);
    for (const [length, version] of versions.entries()) expect(toArray(version)).toEqual(upTo(length));
  });

  it('branches: two conversations from one do not see each other', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.nat(40), fc.nat(40), (length, left, right) => {
        const trunk = listOf(length);
        const one = appendAll(trunk, upTo(left));
        const two = appendAll(
          trunk,
          Array.from({ length: right }, () => -1),
        );
        expect(toArray(one)).toEqual([...upTo(length), ...upTo(left)]);
        expect(toArray(two)).toEqual([...upTo(length), ...Array.from({ length: right }, () => -1)]);
      }),
      { numRuns: 60 },
    );
  });

  it('is plain JSON, and goes on after a round trip', () => {
    fc.assert(
      fc.property(fc.nat(5_000), (length) => {
        const list = listOf(length);
        const again = JSON.parse(JSON.stringify(list)) as Conversation<number>;
        expect(again).toStrictEqual(list);
        expect(append(again, 7)).toStrictEqual(append(list, 7));
      }),
      { numRuns: 20 },
    );
  });
});
