import { describe, expect, it } from 'vitest';
import { findNamingFaults } from '../checks/naming.ts';

function findFaults(...texts: readonly string[]): readonly string[] {
  return findNamingFaults(texts.map((text, index) => ({ path: `${index}.ts`, text })));
}

describe('the naming check', () => {
  it('accepts verb and object, noun phrases, and the few names of one word', () => {
    const text = `export function parseProfile() {}
      export type SessionHead = string;
      export const step = () => 0;
      export type Session = number;
      function helper() {}
      type Row = string;
      const limit = 3;`;
    expect(findFaults(text)).toEqual([]);
  });

  it.each([
    'export function parse() {}',
    'export type Row = 1;',
    'export const limit = 3;',
    'export class Thing {}',
    'export interface Place {}',
    'export async function take() {}',
    'export const read = () => 0;',
  ])('finds an exported name of one word: %s', (text) => {
    expect(findFaults(text)).toEqual([expect.stringContaining('is one word')]);
  });

  it.each(['function textOf() {}', 'export const hopIn = () => 0;', 'export function keyFor() {}'])(
    'finds a function whose name ends in a preposition: %s',
    (text) => {
      expect(findFaults(text)).toEqual([expect.stringContaining('ends in a preposition')]);
    },
  );

  it('finds two exported types with the same name, and ignores private ones', () => {
    const exported = 'export type SessionRow = 1;';
    expect(findFaults(exported, exported)).toEqual([
      'SessionRow is the name of several exported types: 0.ts, 1.ts',
    ]);
    expect(findFaults(exported, 'type SessionRow = 2;')).toEqual([]);
  });
});
