import type { Json } from '../json.ts';
import { digest } from './digest.ts';
import { textUnder } from './text-under.ts';

/** A file as a call left it: a fingerprint of all it holds now. */
export type FileEffect = { readonly path: string; readonly hash: string };

/**
 * What a call did to a file. `to` stands for what was put there, the whole content or the new piece; `from` for the piece
 * that was taken away, null when everything was.
 */
export type Change = { readonly target: string; readonly from: string | null; readonly to: string };

/** What tools call the file, the whole content, the old piece and the new piece. */
const pathNames = ['path', 'file_path', 'filePath', 'file', 'filename', 'file_name', 'target_file'];
const contentNames = ['content', 'contents', 'file_text', 'new_content', 'text'];
const oldNames = ['old_string', 'old_str', 'oldString', 'old_text', 'old', 'search'];
const newNames = ['new_string', 'new_str', 'newString', 'new_text', 'new', 'replace', 'replacement'];

/** The change a successful call made: as reported, else as far as its arguments determine it. */
export function changeOf(args: Json, files: readonly FileEffect[] | undefined): Change | null {
  const [file] = files ?? [];
  if (file !== undefined) return { target: digest(file.path), from: null, to: digest(file.hash) };
  const path = pathOf(args);
  if (path === null) return null;
  const target = digest(path);
  const taken = textUnder(args, oldNames);
  const put = textUnder(args, newNames);
  if (taken !== null && put !== null) return { target, from: digest(taken), to: digest(put) };
  const content = textUnder(args, contentNames);
  return content === null ? null : { target, from: null, to: digest(content) };
}

/** The file a call is about, if it says so. */
export function pathOf(args: Json): string | null {
  return textUnder(args, pathNames);
}
