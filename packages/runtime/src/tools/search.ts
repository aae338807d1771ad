import * as z from 'zod';
import { findBestWindow, clipLine, createTermMatcher } from '../search/excerpt.ts';
import type { FolderIndex } from '../search/index-folder.ts';
import type { SearchHit } from '../search/search.ts';
import { formatLines } from './read.ts';
import type { Tool } from './tool.ts';
import { defineTool } from './tool.ts';

/** Enough to judge a hit and often to answer from; the model can read the rest. */
const excerptLimits = { lines: 10, chars: 1_500, lineChars: 500 } as const;
const hitLimits = { fallback: 8, most: 20 } as const;

const matchedTermSchema = z.object({
  term: z.string(),
  passages: z.number(),
  found: z.enum(['word', 'part', 'nowhere']),
  similar: z.string().nullable(),
});

const excerptSchema = z.object({
  rank: z.number(),
  path: z.string(),
  /** The passage; `text` may show fewer of its lines. */
  first: z.number(),
  last: z.number(),
  heading: z.string(),
  terms: z.array(z.string()),
  /** Numbered lines, formatted by `formatLines`. */
  text: z.string(),
});

/** The output of the search tool, for code that parses it from a conversation. */
export const searchOutputSchema = z.object({
  query: z.string(),
  matched: z.enum(['all', 'any', 'none']),
  total: z.number(),
  files: z.number(),
  terms: z.array(matchedTermSchema),
  hits: z.array(excerptSchema),
});

export type SearchOutput = z.infer<typeof searchOutputSchema>;
export type SearchExcerpt = z.infer<typeof excerptSchema>;

/** With `follows`, refreshes the index before each search, for agents that change the folder. */
export function createSearchTool(
  index: Pick<FolderIndex, 'search' | 'paths' | 'refresh'>,
  { follows = false }: { readonly follows?: boolean } = {},
): Tool {
  return defineTool({
    name: 'search',
    effect: 'read-only',
    timeoutMs: 30_000,
    description:
      'Search the text of all files in the folder. Give a few distinctive words, identifiers, file names or "a quoted ' +
      'phrase"; there are no operators. Returns the best passages with path, line numbers and matching lines, ' +
      'which terms were found, and how many passages contain any of them.',
    parameters: z.object({
      query: z.string().min(1).describe('The words to search for.'),
      limit: z
        .int()
        .min(1)
        .max(hitLimits.most)
        .optional()
        .describe(`Maximum number of hits; defaults to ${hitLimits.fallback}.`),
    }),
    async run({ query, limit }, { signal }) {
      if (follows) await index.refresh(signal);
      const { matched, total, terms, hits } = index.search(query, limit ?? hitLimits.fallback);
      const output: SearchOutput = {
        query: query.slice(0, 500),
        matched,
        total,
        files: index.paths.length,
        terms: [...terms],
        hits: hits.map(toExcerpt),
      };
      return { ok: true, output };
    },
  });
}

function toExcerpt({ rank, path, first, last, heading, terms, text }: SearchHit): SearchExcerpt {
  const matches = createTermMatcher(terms);
  const lines = text.split('\n');
  const { start, end } = findBestWindow(lines, {
    linesMax: excerptLimits.lines,
    charsMax: excerptLimits.chars,
    matches,
    getTermWeight: () => 1,
  });
  const shownLines = lines.slice(start, end).map((line, index) => ({
    number: first + start + index,
    text: clipLine(line, excerptLimits.lineChars, matches),
  }));
  return { rank, path, first, last, heading, terms: [...terms], text: formatLines(shownLines) };
}
