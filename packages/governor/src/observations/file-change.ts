import type { Json } from '../json.ts';
import { fingerprintText, getTextArgument } from './fingerprint.ts';

/** A file after a call: its path and a fingerprint of its whole content. */
export type FileEffect = { readonly path: string; readonly hash: string };

/**
 * A call's change to a file. `to` identifies the new text, whole content or replaced piece; `from` identifies the piece
 * that was removed, null if the whole content was replaced.
 */
export type FileContentChange = {
  readonly target: string;
  readonly from: string | null;
  readonly to: string;
};

/** Argument names that tools use for the file, the whole content, the old text and the new text. */
const pathArgumentNames = ['path', 'file_path', 'filePath', 'file', 'filename', 'file_name', 'target_file'];
const contentArgumentNames = ['content', 'contents', 'file_text', 'new_content', 'text'];
const oldTextArgumentNames = ['old_string', 'old_str', 'oldString', 'old_text', 'old', 'search'];
const newTextArgumentNames = [
  'new_string',
  'new_str',
  'newString',
  'new_text',
  'new',
  'replace',
  'replacement',
];

/** Returns the change a successful call made: as reported, otherwise as inferred from its arguments. */
export function inferFileChange(
  args: Json,
  files: readonly FileEffect[] | undefined,
): FileContentChange | null {
  const [file] = files ?? [];
  if (file !== undefined)
    return { target: fingerprintText(file.path), from: null, to: fingerprintText(file.hash) };
  const path = getPathArgument(args);
  if (path === null) return null;
  const target = fingerprintText(path);
  const taken = getTextArgument(args, oldTextArgumentNames);
  const put = getTextArgument(args, newTextArgumentNames);
  if (taken !== null && put !== null)
    return { target, from: fingerprintText(taken), to: fingerprintText(put) };
  const content = getTextArgument(args, contentArgumentNames);
  return content === null ? null : { target, from: null, to: fingerprintText(content) };
}

/** Returns the file path in a call's arguments, or null. */
export function getPathArgument(args: Json): string | null {
  return getTextArgument(args, pathArgumentNames);
}
