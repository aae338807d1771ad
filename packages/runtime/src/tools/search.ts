import * as z from 'zod';
import { bestWindow, clip, createMatcher } from '../search/excerpt.ts';
import type { FolderIndex } from '../search/index-folder.ts';
import type { Hit } from '../search/search.ts';
import { formatLines } from './numbered-lines.ts';
import type { Tool } from './tool.ts';
import { defineTool } from './tool.ts';

/** Enough to judge a hit by and often to answer from; the rest is there to be read. */
const excerptLimits = { lines: 10, chars: 1_500, lineChars: 500 } as const;
const hitLimits = { fallback: 8, most: 20 } as const;

const matchedTerm = z.object({
  term: z.string(),
  passages: z.number(),
  found: z.enum(['word', 'part', 'nowhere']),
  similar: z.string().nullable(),
});

const excerpt = z.object({
  rank: z.number(),
  path: z.string(),
  /** The passage; `text` may show fewer lines of it. */
  first: z.number(),
  last: z.number(),
  heading: z.string(),
  terms: z.array(z.string()),
  /** Lines with their numbers, as `formatLines` writes them. */
  text: z.string(),
});

/** What the search tool puts out, for those who read it back from a conversation. */
export const searchOutput = z.object({
  query: z.string(),
  matched: z.enum(['all', 'any', 'none']),
  total: z.number(),
  files: z.number(),
  terms: z.array(matchedTerm),
  hits: z.array(excerpt),
});

export type SearchOutput = z.infer<typeof searchOutput>;
export type Excerpt = z.infer<typeof excerpt>;

/** `follows` has it look first at what has changed in the folder, for agents that change things there. */
export function createSearchTool(
  index: Pick<FolderIndex, 'search' | 'paths' | 'refresh'>,
  { follows = false }: { readonly follows?: boolean } = {},
): Tool {
  return defineTool({
    name: 'search',
    effect: 'read-only',
    timeoutMs: 30_000,
    description:
      'Search the text of all files in the folder. Give a few telling words, identifiers, file names or "a quoted ' +
      'phrase"; there are no operators. Returns the best passages with path, line numbers and the lines that match, ' +
      'which terms were found, and how many passages have any of them.',
    parameters: z.object({
      query: z.string().min(1).describe('The words to look for.'),
      limit: z
        .int()
        .min(1)
        .max(hitLimits.most)
        .optional()
        .describe(`Hits to return; ${hitLimits.fallback} if left out.`),
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

function toExcerpt({ rank, path, first, last, heading, terms, text }: Hit): Excerpt {
  const matches = createMatcher(terms);
  const lines = text.split('\n');
  const { start, end } = bestWindow(lines, {
    linesMax: excerptLimits.lines,
    charsMax: excerptLimits.chars,
    matches,
    worthOf: () => 1,
  });
  const shown = lines.slice(start, end).map((line, index) => ({
    number: first + start + index,
    text: clip(line, excerptLimits.lineChars, matches),
  }));
  return { rank, path, first, last, heading, terms: [...terms], text: formatLines(shown) };
}
