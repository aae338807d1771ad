import type { FileEffect } from '@pawl/core';
import { structuredPatch } from 'diff';

/** A file before and after a change; `before` is null for a new file. */
export type FileChange = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
};

/** Lines that may differ before a comparison takes too long. */
const maxEditLength = 2_000;

/** Maximum length of a diff that is recorded with the result of a call. */
const recordedDiffChars = 20_000;

/** Formats a change as the hunks of a unified diff; null if it is too large to compare. A longer diff is cut. */
export function formatFileDiff(
  { path, before, after }: FileChange,
  maxChars: number = recordedDiffChars,
): string | null {
  const compare = (stripTrailingCr: boolean) =>
    structuredPatch(path, path, before ?? '', after, undefined, undefined, {
      context: 3,
      maxEditLength,
      stripTrailingCr,
    });
  // Carriage returns are shown only if nothing else differs.
  const withoutCr = compare(true);
  const patch = withoutCr?.hunks.length === 0 ? compare(false) : withoutCr;
  if (patch === undefined) return null;
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: hunk }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...hunk.filter((line) => !line.startsWith('\\')),
  ]);
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > maxChars);
  return end === -1
    ? lines.join('\n')
    : [...lines.slice(0, end), `… ${lines.length - end} more lines of the diff`].join('\n');
}

/** The effect of a change, with its diff for display. */
export function addFileDiff(effect: FileEffect, change: FileChange): FileEffect {
  const diff = formatFileDiff(change);
  return diff === null || diff === '' ? effect : { ...effect, diff };
}

/** A change for a person to review. */
export type ReviewedChange = {
  readonly path: string;
  /** Null for a new file. */
  readonly linesBefore: number | null;
  readonly linesAfter: number;
  /** All of it, as the hunks of a unified diff. */
  readonly diff: string;
};

/** Returns null if the change is too large to compare. */
export function toReviewedChange(change: FileChange): ReviewedChange | null {
  const diff = formatFileDiff(change, Infinity);
  if (diff === null) return null;
  const { path, before, after } = change;
  const linesBefore = before === null ? null : countLines(before);
  return { path, linesBefore, linesAfter: countLines(after), diff };
}

/** Counts the lines of a text, with or without a line break at its end. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const ends = text.split('\n').length;
  return text.endsWith('\n') ? ends - 1 : ends;
}
