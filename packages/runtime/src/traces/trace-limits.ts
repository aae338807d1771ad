/** Limits for reading traces. Hitting one is reported as a problem. */
export type TraceLimits = {
  /**
   * Maximum bytes buffered at once: one line, one JSON document, or one run spread over many lines. Files with whole
   * runs on each line may have any size.
   */
  readonly heldBytes: number;
  /** Lines read before the file's format must be clear. */
  readonly unknownLines: number;
  /** Maximum number of entries visited in a folder. */
  readonly entries: number;
  /** Maximum nesting depth of folders. */
  readonly depth: number;
};

export const traceLimits: TraceLimits = {
  heldBytes: 128 * 1024 * 1024,
  unknownLines: 200,
  entries: 1_000_000,
  depth: 40,
};
