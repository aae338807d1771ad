import * as z from 'zod';
import { describeMismatch } from '../text/one-line.ts';

/** Maximum number of items in a list of calls or evidence. */
export const listMax = 10_000;

const boundedArraySchema = z.custom<readonly unknown[]>(
  (value) => Array.isArray(value) && value.length <= listMax,
  {
    error: ({ input }) =>
      describeMismatch(`an array of at most ${listMax} items`, Array.isArray(input) ? input.length : input),
  },
);

/** An array whose length is checked before its items, so that a million invalid items give one error. */
export function createListSchema<Item extends z.ZodType>(
  item: Item,
): z.ZodPipe<z.ZodCustom<readonly unknown[]>, z.ZodArray<Item>> {
  return boundedArraySchema.pipe(z.array(item).max(listMax));
}
