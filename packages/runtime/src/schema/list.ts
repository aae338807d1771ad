import * as z from 'zod';
import { mismatch } from './one-line.ts';

/** The most items a list of calls or of evidence may have. */
export const listMax = 10_000;

const shortList = z.custom<readonly unknown[]>((value) => Array.isArray(value) && value.length <= listMax, {
  error: ({ input }) =>
    mismatch(`an array of at most ${listMax} items`, Array.isArray(input) ? input.length : input),
});

/** An array whose length is checked before its items: a million bad items are one mistake, not a million. */
export function list<Item extends z.ZodType>(
  item: Item,
): z.ZodPipe<z.ZodCustom<readonly unknown[]>, z.ZodArray<Item>> {
  return shortList.pipe(z.array(item).max(listMax));
}
