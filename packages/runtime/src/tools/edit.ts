import * as z from 'zod';
import { codeOf } from '../search/system-error.ts';
import { fileFailure, placeToChange } from './file-errors.ts';
import { lineOf, nearestText, placesOf } from './nearest-text.ts';
import { formatLines } from './numbered-lines.ts';
import { intendChange, settleFile } from './settle-file.ts';
import { defineTool, failure, type Tool, type ToolExecution, type ToolResult } from './tool.ts';
import { hashOf, readText, replaceText, textBytesMax } from './workspace-file.ts';
import { quoted } from './workspace-path.ts';
import type { Workspace } from './workspace.ts';

const parameters = z.object({
  path: z.string().min(1).describe('Path of the file, relative to the folder.'),
  old: z
    .string()
    .min(1)
    .max(textBytesMax)
    .describe('The text to replace, to the letter, with enough around it to stand only once in the file.'),
  new: z.string().max(textBytesMax).describe('The text to put in its place.'),
  all: z.boolean().optional().describe('Replace it wherever it stands; only once if left out.'),
});

type Edit = z.infer<typeof parameters>;

/** Replaces a piece of a file. */
export function createEditTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'edit',
    effect: 'verifiable',
    timeoutMs: 30_000,
    description:
      'Replace a piece of a text file in the folder. "old" must be exactly what stands there, without line numbers.',
    parameters,
    settle: settleFile(workspace),
    run: (edit, { signal, execution }) =>
      workspace.inTurn(async () => {
        const { path } = edit;
        if (signal.aborted) return failure('cancelled', `Editing ${quoted(path)} was called off.`);
        const problem = problemOf(edit);
        if (problem !== null) return failure('invalid', problem);
        const found = await placeToChange(workspace, path);
        if (!found.ok) return found.refusal;
        try {
          return await change(workspace, { ...found.place, execution }, edit);
        } catch (error) {
          return fileFailure(codeOf(error), path, workspace);
        }
      }),
  });
}

function problemOf({ old, new: put }: Edit): string | null {
  if (old === put) return '"old" and "new" are the same. Nothing was changed; say what is to be different.';
  if (!put.isWellFormed())
    return '"new" has half a character in it (a lone surrogate). Write it again without.';
  return null;
}

type Place = {
  readonly path: string;
  readonly realPath: string;
  readonly execution: ToolExecution | undefined;
};

async function change(workspace: Workspace, place: Place, edit: Edit): Promise<ToolResult> {
  const { path, realPath, execution } = place;
  const before = await readText(workspace.root, realPath);
  if (before.kind === 'missing') return fileFailure('ENOENT', path, workspace);
  if (before.kind !== 'text') {
    const what = before.kind === 'binary' ? 'is a binary file' : 'is too large to be edited';
    return failure('failed', `${quoted(path)} ${what}. Use another file.`);
  }
  if (workspace.isOutdated(realPath, before.version)) return fileFailure('ESTALE', path, workspace);
  const { old, put } = withLineEndsOf(before.text, edit);
  const places = placesOf(before.text, old);
  if (places.length === 0) return notFound(before.text, edit);
  if (places.length > 1 && edit.all !== true) return notUnique(before.text, places, path);
  const text = before.text.split(old).join(put);
  if (Buffer.byteLength(text) > textBytesMax) {
    return failure('failed', `${quoted(path)} would become too large. Nothing was changed.`);
  }
  if (!(await intendChange(execution, { path, before: before.hash, after: hashOf(text) })))
    return failure('cancelled', `Editing ${quoted(path)} was called off.`);
  const { effect, version } = await replaceText(workspace.root, {
    realPath,
    text,
    expected: before.version,
    change: execution?.id,
  });
  workspace.saw(realPath, version);
  const first = places[0] ?? 0;
  return {
    ok: true,
    output: { path, replacements: places.length, now: excerptAt(text, first, put.length) },
    files: [effect],
  };
}

/** Lines are shown without the sign for a carriage return, so a model cannot know of it; where a file has it, it is meant. */
function withLineEndsOf(
  text: string,
  { old, new: put }: Edit,
): { readonly old: string; readonly put: string } {
  if (text.includes(old) || !text.includes('\r\n') || old.includes('\r')) return { old, put };
  return { old: withCarriageReturns(old), put: withCarriageReturns(put) };
}

function withCarriageReturns(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}

function notFound(text: string, { path, old }: Edit): ToolResult {
  const near = nearestText(text, old);
  const what = `The text to replace was not found in ${quoted(path)}.`;
  if (near === null) return failure('failed', `${what} Nothing there is like it: read the file first.`);
  const how = near.differsInSpaces ? ', which differs in white space only' : '';
  const last = near.lines.at(-1)?.number ?? near.first;
  return failure(
    'failed',
    `${what} Nearest is what stands on lines ${near.first} to ${last}${how}:\n${formatLines(near.lines)}\n` +
      'Copy "old" from there, without the line numbers.',
  );
}

function notUnique(text: string, places: readonly number[], path: string): ToolResult {
  const lines = places.slice(0, 10).map((at) => lineOf(text, at));
  const more = places.length > lines.length ? ' and more' : '';
  return failure(
    'failed',
    `The text to replace is not unique in ${quoted(path)}: it stands there ${places.length} times, on lines ` +
      `${lines.join(', ')}${more}. Give more of what stands around it, or set "all" to true.`,
  );
}

/** The lines around what was put in, so that the model sees what it has made. */
function excerptAt(text: string, at: number, length: number): string {
  const first = Math.max(1, lineOf(text, at) - 2);
  const last = Math.min(lineOf(text, at + length) + 2, first + 19);
  const lines = text.split('\n').slice(first - 1, last);
  return formatLines(
    lines.map((line, index) => ({ number: first + index, text: line.replace(/\r$/, '').slice(0, 300) })),
  );
}
