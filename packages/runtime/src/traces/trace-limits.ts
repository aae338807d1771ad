/** What reading traces may cost. A limit that is hit shows up as a problem, never as silence. */
export type TraceLimits = {
  /**
   * Bytes that are held at once: one line, one JSON document, or one run that is written over many lines. Files of
   * whole runs, one on each line, may be of any size.
   */
  readonly heldBytes: number;
  /** Lines looked at before it must be plain what a file is. */
  readonly unknownLines: number;
  /** Names looked at in a folder. */
  readonly entries: number;
  /** Folders within folders. */
  readonly depth: number;
};

export const traceLimits: TraceLimits = {
  heldBytes: 128 * 1024 * 1024,
  unknownLines: 200,
  entries: 1_000_000,
  depth: 40,
};
