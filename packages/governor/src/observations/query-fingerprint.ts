import type { Json } from '../json.ts';
import { fingerprintText } from './fingerprint.ts';
import { getTextArgument } from './text-argument.ts';

const queryArgumentNames = [
  'query',
  'q',
  'search_term',
  'searchTerm',
  'search_query',
  'keyword',
  'keywords',
  'pattern',
];

/** Longer queries are compared by their first characters only. */
const queryLengthMax = 500;

/** Computes a fingerprint of a call's search query that ignores word order, case and punctuation. */
export function fingerprintQuery(args: Json): string | null {
  const query = getTextArgument(args, queryArgumentNames);
  if (query === null) return null;
  const words = query
    .slice(0, queryLengthMax)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return words.length === 0 ? null : fingerprintText(words.toSorted().join(' '));
}
