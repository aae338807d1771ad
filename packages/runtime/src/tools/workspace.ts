import { createSerialRunner } from '../platform/serial-runner.ts';

/** The state shared by the tools of one folder. */
export type AgentWorkspace = {
  /** A real path. */
  readonly root: string;
  /** The known files, for suggesting similar paths. */
  readonly paths: readonly string[];
  /** Records the last version of a file that the agent saw, to detect changes by others. */
  recordVersion(realPath: string, version: string): void;
  /** Whether the file differs from the version last seen; false if it was never seen. */
  isOutdated(realPath: string, version: string): boolean;
  /** Runs tasks one after the other, so that concurrent calls do not overwrite each other. */
  runExclusive<Result>(task: () => Promise<Result>): Promise<Result>;
};

/** Maximum number of files tracked; the least recently seen are evicted first. */
const rememberedFilesMax = 10_000;

/** All tools of one folder must share one workspace. */
export function createWorkspace(root: string, paths: readonly string[] = []): AgentWorkspace {
  const versions = new Map<string, string>();
  return {
    root,
    paths,
    recordVersion(realPath, version) {
      // Delete first, so that insertion order is the order of last use.
      versions.delete(realPath);
      versions.set(realPath, version);
      const [oldest] = versions.keys();
      if (versions.size > rememberedFilesMax && oldest !== undefined) versions.delete(oldest);
    },
    isOutdated(realPath, version) {
      const known = versions.get(realPath);
      return known !== undefined && known !== version;
    },
    runExclusive: createSerialRunner(),
  };
}
