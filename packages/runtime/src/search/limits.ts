/**
 * What indexing a folder may cost. Passing `limits` with other numbers changes them for one index; a limit that is hit
 * shows up as a skip, never as silence.
 */
export type IndexLimits = {
  /** Names looked at, of any kind: bounds the walk itself, for example through a cache of a million images. */
  readonly entries: number;
  /** Files read. Beyond it a folder is no longer a project but a disk. */
  readonly files: number;
  /** Bytes of one file. Text written by people is smaller; what is larger is data, logs or generated. */
  readonly fileBytes: number;
  /** Bytes read in all. The index keeps the text and its words in memory, so about two to three times this much. */
  readonly totalBytes: number;
  /** Folders within folders. Deeper trees are generated, and a path has an end. */
  readonly depth: number;
};

export const indexLimits: IndexLimits = {
  entries: 200_000,
  files: 50_000,
  fileBytes: 2 * 1024 * 1024,
  totalBytes: 128 * 1024 * 1024,
  depth: 40,
};

/** How text is cut: about a screenful, so that words found in one passage belong to one thought. */
export const passageLimits = { lines: 20, chars: 2_000 } as const;

export const queryLimits = {
  /** A question fits; of a pasted file the beginning says what it is about. */
  chars: 4_000,
  /** Each term costs one look into the index, and past a dozen words more words do not make a question clearer. */
  terms: 16,
  /** No word and hardly a phrase is longer. */
  termChars: 100,
  /** Terms the index does not know are looked for letter by letter, which reads all text once per term. */
  substringTerms: 4,
  /** Terms found nowhere that a word spelt alike is looked for, which reads a good part of all words. */
  similarTerms: 4,
  /** Passages ranked with care: the best by BM25, among which are the best of all. */
  candidates: 80,
  hits: 50,
} as const;
