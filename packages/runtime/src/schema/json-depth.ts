/** Whether a value has more levels than this. It recurses no deeper than the limit, so it cannot overflow the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isDeeperThan(part, levels - 1));
}
