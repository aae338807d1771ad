export type Program = {
  /** The vitest tag of the tests that need it. */
  readonly tag: string;
  /** The possible command names, preferred one first. */
  readonly commands: readonly string[];
  /** The Debian and Homebrew packages; null if there is none. */
  readonly apt: string;
  readonly brew: string | null;
  readonly usedBy: string;
};

export const programs: readonly Program[];

type Environment = Readonly<Record<string, string | undefined>>;

export function findProgram(commands: readonly string[], env?: Environment): string | null;

export function installSystemPackages(
  say: (line: string) => void,
  options?: {
    readonly wanted?: readonly Program[];
    readonly env?: Environment;
    readonly userId?: number | undefined;
  },
): void;
