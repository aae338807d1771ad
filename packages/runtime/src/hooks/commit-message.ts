import type { CompletedTool } from '@pawl/core';
import { isLikelySecret } from '../data-files/secrets.ts';
import { toPrintableLine } from '../text/one-line.ts';

const subjectMax = 72;
const pathsShown = 20;

/** Formats a commit message that names the tools and the files, but no file contents. */
export function formatCommitMessage(completed: readonly CompletedTool[], paths: readonly string[]): string {
  const names = [...new Set(completed.filter(({ ok }) => ok).map(({ tool }) => sanitizeToolName(tool)))];
  const tools = names.length === 0 ? 'pawl' : names.join(', ');
  const [first = ''] = paths;
  const files = paths.length === 1 ? formatCommitPath(first) : `${paths.length} files`;
  const subject = toPrintableLine(`${toPrintableLine(tools, 40)}: ${files}`, subjectMax);
  const shown = paths.slice(0, pathsShown).map((path) => `- ${formatCommitPath(path)}`);
  const more = paths.length > pathsShown ? [`- and ${paths.length - pathsShown} more`] : [];
  return [subject, '', ...shown, ...more, ''].join('\n');
}

/** Models may invent tool names; anything that is not a valid name is replaced. */
function sanitizeToolName(tool: string): string {
  return /^[\w.:-]{1,64}$/.test(tool) && !mayBeSecret(tool) ? tool : 'tool';
}

function formatCommitPath(path: string): string {
  return mayBeSecret(path) ? '(a name that may be a secret)' : toPrintableLine(path, 200);
}

/** Detects keys of well-known services and any long alphanumeric string that could be a key. */
function mayBeSecret(text: string): boolean {
  if (isLikelySecret(text)) return true;
  return (text.match(/[A-Za-z0-9+=_-]{32,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
}
