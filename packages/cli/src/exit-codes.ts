/** The exit codes of all commands. */
export const exitCodes = {
  finished: 0,
  /** The command failed although it was called correctly. */
  failed: 1,
  /** Usage error: an unknown flag, a missing folder, an empty goal. */
  usage: 2,
  /** The governor stopped the session because it was stuck. */
  stuck: 3,
  /** A budget was exhausted. */
  budget: 4,
  /** The model could not be reached or gave no answer. */
  model: 5,
  /** A permission was required and denied. */
  denied: 6,
  /** Interrupted from outside: Ctrl-C, SIGTERM. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
