/** What a command may access. Paths are absolute. */
export type SandboxPolicy = {
  readonly cwd: string;
  /** Folders it may write to; everything else is read-only or hidden. */
  readonly writable: readonly string[];
  /** Files and folders it may read, besides the working folder and the system's own. */
  readonly readable?: readonly string[];
  readonly network: boolean;
  /** The complete environment; nothing is inherited. */
  readonly env: { readonly [name: string]: string };
};

/** The command that is actually executed. */
export type SandboxLaunch = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** Wraps a command so that it runs under a sandbox policy, as far as this machine can enforce it. */
export type CommandSandbox = {
  /** `none` enforces nothing. */
  readonly kind: 'bubblewrap' | 'none';
  launch(command: readonly [string, ...string[]], policy: SandboxPolicy): SandboxLaunch;
};

/** Runs commands without a sandbox. */
export const passthroughSandbox: CommandSandbox = {
  kind: 'none',
  launch: ([file, ...args], { env }) => ({ file, args, env }),
};
