/** What the tools that work on one folder share. */
export type Workspace = {
  /** A real path. */
  readonly root: string;
  /** The files that are known, to name the one that was perhaps meant. */
  readonly paths: readonly string[];
  /** Remembers which version of a file was seen last, so that a change made by somebody else is noticed. */
  saw(realPath: string, version: string): void;
  /** Whether the file is another than the one that was seen; false for one that never was. */
  isOutdated(realPath: string, version: string): boolean;
  /** Runs one change after the other, so that calls made at once do not undo each other. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** How many files are remembered; those seen longest ago are forgotten first. */
const filesMax = 10_000;

/** Give every tool of one folder the same one. */
export function createWorkspace(root: string, paths: readonly string[] = []): Workspace {
  const versions = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    root,
    paths,
    saw(realPath, version) {
      // Deleted first, so that the order is that of the last look.
      versions.delete(realPath);
      versions.set(realPath, version);
      const [oldest] = versions.keys();
      if (versions.size > filesMax && oldest !== undefined) versions.delete(oldest);
    },
    isOutdated(realPath, version) {
      const seen = versions.get(realPath);
      return seen !== undefined && seen !== version;
    },
    inTurn(work) {
      const result = last.then(work);
      // One that throws does not hold up the next.
      last = result.catch(() => undefined);
      return result;
    },
  };
}
