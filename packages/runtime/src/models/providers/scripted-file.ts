import * as z from 'zod';
import { readSmallFile } from '../../written-files/small-file.ts';
import { oneLine } from '../../schema/one-line.ts';
import { modelError, requestedCall } from '../../schema/parts.ts';
import type { ScriptedReply } from '../scripted.ts';
import { ModelSpecError } from './model-spec-error.ts';

const bytesMax = 16 * 1024 * 1024;

const reply = z.union([
  z.strictObject({ failure: modelError }),
  z.strictObject({ text: z.exactOptional(z.string()), calls: z.exactOptional(z.array(requestedCall)) }),
]);

/** The replies in a file: a JSON list of them, or one on each line. */
export async function readScript(path: string): Promise<readonly ScriptedReply[]> {
  const shownPath = oneLine(JSON.stringify(path), 200);
  const file = await readSmallFile(path, bytesMax);
  if (!file.ok) throw new ModelSpecError('script', `${shownPath}: ${file.problem}`, { cause: file.cause });
  return repliesIn(file.text).map(({ value, where }) => {
    const read = reply.safeParse(value);
    if (read.success) return read.data;
    const expected =
      '{"text": "…", "calls": [{"tool": "…", "args": {…}}]} or {"failure": {"kind": "…", "message": "…"}}';
    throw new ModelSpecError('script', `${shownPath}, ${where}: this is no reply. Write ${expected}.`);
  });

  function repliesIn(text: string): readonly { readonly value: unknown; readonly where: string }[] {
    const whole = parsed(text);
    if (Array.isArray(whole))
      return whole.map((value: unknown, index) => ({ value, where: `reply ${index + 1}` }));
    return text.split('\n').flatMap((line, index) => {
      if (line.trim() === '') return [];
      const value = parsed(line);
      const where = `line ${index + 1}`;
      if (value !== undefined) return [{ value, where }];
      const problem = 'this is not JSON. Write a list of replies, or one reply on each line.';
      throw new ModelSpecError('script', `${shownPath}, ${where}: ${problem}`);
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
