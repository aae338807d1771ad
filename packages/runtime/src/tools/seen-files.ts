/** Remembers which version of each file was seen last, so that a change made by somebody else is noticed. */
export type SeenFiles = {
  saw(realPath: string, version: string): void;
  /** Whether the file is another than the one that was seen; false for one that never was. */
  isOutdated(realPath: string, version: string): boolean;
};

/** Beyond so many, those seen longest ago are forgotten. */
const filesMax = 10_000;

export function createSeenFiles(): SeenFiles {
  const versions = new Map<string, string>();
  return {
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
  };
}
