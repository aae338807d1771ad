/** What the exit code of every command means. */
export const exitCodes = {
  finished: 0,
  /** Something went wrong although the command was called rightly. */
  failed: 1,
  /** The command was called wrongly: an unknown flag, a missing folder, an empty goal. */
  usage: 2,
  /** The governor stopped the work because it went round in circles. */
  stuck: 3,
  /** A budget was used up. */
  budget: 4,
  /** The model could not be reached or would not answer. */
  model: 5,
  /** Something needed permission and did not get it. */
  denied: 6,
  /** Stopped from outside: Ctrl-C, SIGTERM. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
