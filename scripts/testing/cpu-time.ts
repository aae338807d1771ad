/**
 * Starts to count the processor time of this process; the function it returns gives the milliseconds since then. Unlike the time
 * on a clock, it does not grow while a busy machine does something else.
 */
export function startCpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
