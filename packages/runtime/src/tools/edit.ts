import * as z from 'zod';
import { getSystemErrorCode } from '../search/system-error.ts';
import { toFileFailure, resolvePathToChange } from './file-errors.ts';
import { getLineNumber, findNearestText, findOccurrences } from './nearest-text.ts';
import { formatLines } from './numbered-lines.ts';
import { recordIntent, createFileReconciler } from './reconcile-file.ts';
import { defineTool, createToolFailure, type Tool, type ExecutionHandle, type ToolResult } from './tool.ts';
import { hashContent, readWorkspaceText, replaceWorkspaceText, textBytesMax } from './workspace-file.ts';
import { quotePath } from './workspace-path.ts';
import type { AgentWorkspace } from './workspace.ts';

const editParameters = z.object({
  path: z.string().min(1).describe('Path of the file, relative to the folder.'),
  old: z
    .string()
    .min(1)
    .max(textBytesMax)
    .describe('The text to replace, to the letter, with enough around it to stand only once in the file.'),
  new: z.string().max(textBytesMax).describe('The text to put in its place.'),
  all: z.boolean().optional().describe('Replace it wherever it stands; only once if left out.'),
});

type FileEdit = z.infer<typeof editParameters>;

/** Replaces a piece of text in a file. */
export function createEditTool(workspace: AgentWorkspace): Tool {
  return defineTool({
    name: 'edit',
    effect: 'verifiable',
    timeoutMs: 30_000,
    description:
      'Replace a piece of a text file in the folder. "old" must be exactly what stands there, without line numbers.',
    parameters: editParameters,
    reconcile: createFileReconciler(workspace),
    run: (edit, { signal, execution }) =>
      workspace.inTurn(async () => {
        const { path } = edit;
        if (signal.aborted)
          return createToolFailure('cancelled', `Editing ${quotePath(path)} was called off.`);
        const problem = findEditProblem(edit);
        if (problem !== null) return createToolFailure('invalid', problem);
        const found = await resolvePathToChange(workspace, path);
        if (!found.ok) return found.refusal;
        try {
          return await applyEdit(workspace, { ...found.place, execution }, edit);
        } catch (error) {
          return toFileFailure(getSystemErrorCode(error), path, workspace);
        }
      }),
  });
}

function findEditProblem({ old, new: put }: FileEdit): string | null {
  if (old === put) return '"old" and "new" are the same. Nothing was changed; say what is to be different.';
  if (!put.isWellFormed())
    return '"new" has half a character in it (a lone surrogate). Write it again without.';
  return null;
}

type ChangeTarget = {
  readonly path: string;
  readonly realPath: string;
  readonly execution: ExecutionHandle | undefined;
};

async function applyEdit(
  workspace: AgentWorkspace,
  place: ChangeTarget,
  edit: FileEdit,
): Promise<ToolResult> {
  const { path, realPath, execution } = place;
  const before = await readWorkspaceText(workspace.root, realPath);
  if (before.kind === 'missing') return toFileFailure('ENOENT', path, workspace);
  if (before.kind !== 'text') {
    const what = before.kind === 'binary' ? 'is a binary file' : 'is too large to be edited';
    return createToolFailure('failed', `${quotePath(path)} ${what}. Use another file.`);
  }
  if (workspace.isOutdated(realPath, before.version)) return toFileFailure('ESTALE', path, workspace);
  const { old, put } = matchLineEndings(before.text, edit);
  const places = findOccurrences(before.text, old);
  if (places.length === 0) return createNotFoundResult(before.text, edit);
  if (places.length > 1 && edit.all !== true) return createNotUniqueResult(before.text, places, path);
  const text = before.text.split(old).join(put);
  if (Buffer.byteLength(text) > textBytesMax) {
    return createToolFailure('failed', `${quotePath(path)} would become too large. Nothing was changed.`);
  }
  if (!(await recordIntent(execution, { path, before: before.hash, after: hashContent(text) })))
    return createToolFailure('cancelled', `Editing ${quotePath(path)} was called off.`);
  const { effect, version } = await replaceWorkspaceText(workspace.root, {
    realPath,
    text,
    expected: before.version,
    change: execution?.id,
  });
  workspace.saw(realPath, version);
  const first = places[0] ?? 0;
  return {
    ok: true,
    output: { path, replacements: places.length, now: formatEditExcerpt(text, first, put.length) },
    files: [effect],
  };
}

/** The read tool hides carriage returns from the model, so convert "old" and "new" to CRLF if the file uses it. */
function matchLineEndings(
  text: string,
  { old, new: put }: FileEdit,
): { readonly old: string; readonly put: string } {
  if (text.includes(old) || !text.includes('\r\n') || old.includes('\r')) return { old, put };
  return { old: addCarriageReturns(old), put: addCarriageReturns(put) };
}

function addCarriageReturns(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}

function createNotFoundResult(text: string, { path, old }: FileEdit): ToolResult {
  const near = findNearestText(text, old);
  const what = `The text to replace was not found in ${quotePath(path)}.`;
  if (near === null)
    return createToolFailure('failed', `${what} Nothing there is like it: read the file first.`);
  const how = near.differsInSpaces ? ', which differs in white space only' : '';
  const last = near.lines.at(-1)?.number ?? near.first;
  return createToolFailure(
    'failed',
    `${what} Nearest is what stands on lines ${near.first} to ${last}${how}:\n${formatLines(near.lines)}\n` +
      'Copy "old" from there, without the line numbers.',
  );
}

function createNotUniqueResult(text: string, places: readonly number[], path: string): ToolResult {
  const lines = places.slice(0, 10).map((at) => getLineNumber(text, at));
  const more = places.length > lines.length ? ' and more' : '';
  return createToolFailure(
    'failed',
    `The text to replace is not unique in ${quotePath(path)}: it stands there ${places.length} times, on lines ` +
      `${lines.join(', ')}${more}. Give more of what stands around it, or set "all" to true.`,
  );
}

/** Formats the lines around the replacement, so that the model sees the result. */
function formatEditExcerpt(text: string, at: number, length: number): string {
  const first = Math.max(1, getLineNumber(text, at) - 2);
  const last = Math.min(getLineNumber(text, at + length) + 2, first + 19);
  const lines = text.split('\n').slice(first - 1, last);
  return formatLines(
    lines.map((line, index) => ({ number: first + index, text: line.replace(/\r$/, '').slice(0, 300) })),
  );
}
