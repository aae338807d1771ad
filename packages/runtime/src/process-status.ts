/** What Linux says about a process. Its start time tells it from a later one with the same number. */
export type ProcessStatus = {
  readonly hasEnded: boolean;
  readonly parent: number;
  readonly startedAt: string;
};

/** Where these stand among the fields after the name. */
const fields = { state: 0, parent: 1, startedAt: 19 } as const;

/** Reads the text of `/proc/<pid>/stat`. A process that has ended stays listed until its parent takes note of it. */
export function readProcessStatus(text: string): ProcessStatus {
  // The name stands in brackets and may hold anything.
  const values = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    hasEnded: 'ZX'.includes(values[fields.state] ?? 'X'),
    parent: Number(values[fields.parent]),
    startedAt: values[fields.startedAt] ?? '',
  };
}
