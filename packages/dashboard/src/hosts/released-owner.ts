/**
 * Returns the owner to record for a session that this process has released: it names a process id that no system
 * assigns, so any process may claim the session although this one still runs.
 */
export function toReleasedOwner(owner: string): string {
  return owner.replace(/ pid=\d+ start=\S+$/, ' pid=2147483647 start=-');
}
