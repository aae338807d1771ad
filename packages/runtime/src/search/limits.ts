/**
 * Limits for indexing a folder. Pass `limits` to override them for one index. Hitting a limit is reported as a skip.
 */
export type IndexLimits = {
  /** Maximum number of entries of any kind; bounds the walk itself, for example through a cache of a million images. */
  readonly entries: number;
  /** Maximum number of files read. A larger folder is not a single project. */
  readonly files: number;
  /** Maximum bytes per file. Handwritten text is smaller; larger files are data, logs or generated. */
  readonly fileBytes: number;
  /** Maximum total bytes. The index holds the text and its words in memory, about two to three times this size. */
  readonly totalBytes: number;
  /** Maximum folder depth. Deeper trees are generated. */
  readonly depth: number;
};

export const indexLimits: IndexLimits = {
  entries: 200_000,
  files: 50_000,
  fileBytes: 2 * 1024 * 1024,
  totalBytes: 128 * 1024 * 1024,
  depth: 40,
};

/** The size of a passage: about a screenful, so that words found in one passage belong together. */
export const passageLimits = { lines: 20, chars: 2_000 } as const;

export const queryLimits = {
  /** Long enough for a question; of a pasted file, the beginning is enough. */
  chars: 4_000,
  /** Each term costs one index lookup, and more than a dozen words do not make a question clearer. */
  terms: 16,
  /** Hardly any word or phrase is longer. */
  termChars: 100,
  /** Terms that the index does not contain are searched as substrings, which scans all text once per term. */
  substringTerms: 4,
  /**
   * Terms without any match for which a similarly spelled word is suggested, which scans a large part of the
   * vocabulary.
   */
  similarTerms: 4,
  /** Passages that are reranked: the best by BM25, which include the best overall. */
  candidates: 80,
  hits: 50,
} as const;
