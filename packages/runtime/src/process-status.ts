/** Status of a Linux process. Its start time distinguishes it from a later process with the same pid. */
export type ProcessStatus = {
  readonly hasEnded: boolean;
  readonly parent: number;
  readonly startedAt: string;
};

/** Indexes of the fields after the process name in `/proc/<pid>/stat`. */
const statFields = { state: 0, parent: 1, startedAt: 19 } as const;

/** Parses `/proc/<pid>/stat`. An ended process stays listed as a zombie until its parent reaps it. */
export function parseProcessStatus(text: string): ProcessStatus {
  // The name is in parentheses and may contain any character, including parentheses.
  const values = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    hasEnded: 'ZX'.includes(values[statFields.state] ?? 'X'),
    parent: Number(values[statFields.parent]),
    startedAt: values[statFields.startedAt] ?? '',
  };
}
