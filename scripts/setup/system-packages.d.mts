export type Program = {
  /** The vitest tag of the tests that need it. */
  readonly tag: string;
  /** The possible command names, preferred one first. */
  readonly commands: readonly string[];
  /** The Debian and Homebrew packages; null if there is none. */
  readonly apt: string;
  /** The file of the Debian package that suffices, where installing the package would start a server. */
  readonly extract?: string;
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
    /** Where extracted programs are put. */
    readonly binFolder?: string;
  },
): void;
