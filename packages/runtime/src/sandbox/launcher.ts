/** What a command may touch. Paths are absolute. */
export type Confines = {
  readonly cwd: string;
  /** Folders it may write to; everything else is read-only or hidden. */
  readonly writable: readonly string[];
  /** Files and folders it may read besides the working folder and the system's own. */
  readonly readable?: readonly string[];
  readonly network: boolean;
  /** The whole environment it sees; nothing is inherited. */
  readonly env: { readonly [name: string]: string };
};

/** A command line as it is really run. */
export type Launch = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** Turns a command into one that runs inside its confines, as far as this machine can hold it there. */
export type Launcher = {
  /** `none` holds nothing back, and says so. */
  readonly kind: 'bubblewrap' | 'none';
  launch(command: readonly [string, ...string[]], confines: Confines): Launch;
};

/** Runs commands as they are. */
export const openLauncher: Launcher = {
  kind: 'none',
  launch: ([file, ...args], { env }) => ({ file, args, env }),
};
