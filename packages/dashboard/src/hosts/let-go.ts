/**
 * The owner of a session that this process is done with, though it still runs: a process that is not there, so that anybody
 * may take the session up. No system has a process of this number.
 */
export function letGo(owner: string): string {
  return owner.replace(/ pid=\d+ start=\S+$/, ' pid=2147483647 start=-');
}
