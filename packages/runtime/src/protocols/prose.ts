import type { ScanSource } from './scan-source.ts';

/** Returns the text before and after a section, without the code fence around the section. */
export function extractSurroundingProse(
  source: ScanSource,
  { start, end }: { readonly start: number; readonly end: number },
): string {
  const before = source.slice(0, start).trimEnd();
  const after = source.slice(end, source.length).trimStart();
  const [fence] = /```[\w-]{0,20}$/.exec(before.slice(-fenceMax)) ?? [];
  const isFenced = fence !== undefined && after.startsWith('```');
  const parts = isFenced
    ? [before.slice(0, -fence.length).trimEnd(), after.slice(3).trimStart()]
    : [before, after];
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .trim();
}

const fenceMax = 30;
