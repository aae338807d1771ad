import * as z from 'zod';
import { readSmallFile } from '../../data-files/small-file.ts';
import { toPrintableLine } from '../../text/one-line.ts';
import { modelErrorSchema, requestedCallSchema } from '../../schema/parts.ts';
import type { ScriptedReply } from '../scripted.ts';
import { ModelSpecError } from './known-providers.ts';

const scriptBytesMax = 16 * 1024 * 1024;

const scriptedReplySchema = z.union([
  z.strictObject({ failure: modelErrorSchema }),
  z.strictObject({ text: z.exactOptional(z.string()), calls: z.exactOptional(z.array(requestedCallSchema)) }),
]);

/** Reads scripted replies from a file: a JSON array, or one reply per line. */
export async function readScriptFile(path: string): Promise<readonly ScriptedReply[]> {
  const shownPath = toPrintableLine(JSON.stringify(path), 200);
  const file = await readSmallFile(path, scriptBytesMax);
  if (!file.ok) throw new ModelSpecError('script', `${shownPath}: ${file.problem}`, { cause: file.cause });
  return listReplies(file.text).map(({ value, location }) => {
    const parsed = scriptedReplySchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const expected =
      '{"text": "…", "calls": [{"tool": "…", "args": {…}}]} or {"failure": {"kind": "…", "message": "…"}}';
    throw new ModelSpecError('script', `${shownPath}, ${location}: invalid reply. Expected ${expected}.`);
  });

  function listReplies(text: string): readonly { readonly value: unknown; readonly location: string }[] {
    const whole = tryParseJson(text);
    if (Array.isArray(whole))
      return whole.map((value: unknown, index) => ({ value, location: `reply ${index + 1}` }));
    return text.split('\n').flatMap((line, index) => {
      if (line.trim() === '') return [];
      const value = tryParseJson(line);
      const location = `line ${index + 1}`;
      if (value !== undefined) return [{ value, location }];
      const problem = 'invalid JSON. Write an array of replies, or one reply per line.';
      throw new ModelSpecError('script', `${shownPath}, ${location}: ${problem}`);
    });
  }
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
