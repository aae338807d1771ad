import type { CompletedTool } from '@pawl/core';
import { looksSecret } from '../config/secrets.ts';
import { oneLine } from '../schema/one-line.ts';

const subjectMax = 72;
const pathsShown = 20;

/** Says which tools changed which files, and nothing of what is in them. */
export function commitMessage(completed: readonly CompletedTool[], paths: readonly string[]): string {
  const names = [...new Set(completed.filter(({ ok }) => ok).map(({ tool }) => toolName(tool)))];
  const tools = names.length === 0 ? 'pawl' : names.join(', ');
  const [first = ''] = paths;
  const files = paths.length === 1 ? shownPath(first) : `${paths.length} files`;
  const subject = oneLine(`${oneLine(tools, 40)}: ${files}`, subjectMax);
  const shown = paths.slice(0, pathsShown).map((path) => `- ${shownPath(path)}`);
  const more = paths.length > pathsShown ? [`- and ${paths.length - pathsShown} more`] : [];
  return [subject, '', ...shown, ...more, ''].join('\n');
}

/** Models make up names of tools; what is not one does not become part of a history. */
function toolName(tool: string): string {
  return /^[\w.:-]{1,64}$/.test(tool) && !mayBeSecret(tool) ? tool : 'tool';
}

function shownPath(path: string): string {
  return mayBeSecret(path) ? '(a name that may be a secret)' : oneLine(path, 200);
}

/** Keys of well-known services, and whatever is as long and as mixed as a key. */
function mayBeSecret(text: string): boolean {
  if (looksSecret(text)) return true;
  return (text.match(/[A-Za-z0-9+=_-]{32,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
}
