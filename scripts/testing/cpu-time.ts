/**
 * Starts measuring the CPU time of this process; the returned function gives the milliseconds since then.
 * Unlike elapsed time, it does not depend on the load of the machine.
 */
export function startCpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
