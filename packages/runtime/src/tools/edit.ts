import * as z from 'zod';
import { getSystemErrorCode } from '../platform/files.ts';
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
    .describe('The exact text to replace, with enough context to occur only once in the file.'),
  new: z.string().max(textBytesMax).describe('The new text.'),
  all: z.boolean().optional().describe('Whether to replace every occurrence; defaults to false.'),
});

type FileEdit = z.infer<typeof editParameters>;

/** Replaces a piece of text in a file. */
export function createEditTool(workspace: AgentWorkspace): Tool {
  return defineTool({
    name: 'edit',
    effect: 'verifiable',
    isConfinedToFolder: true,
    timeoutMs: 30_000,
    description:
      'Replace text in a text file in the folder. "old" must match the file exactly, without line numbers.',
    parameters: editParameters,
    reconcile: createFileReconciler(workspace),
    run: (edit, { signal, execution }) =>
      workspace.runExclusive(async () => {
        const { path } = edit;
        if (signal.aborted)
          return createToolFailure('cancelled', `Editing ${quotePath(path)} was cancelled.`);
        const problem = findEditProblem(edit);
        if (problem !== null) return createToolFailure('invalid', problem);
        const resolved = await resolvePathToChange(workspace, path);
        if (!resolved.ok) return resolved.refusal;
        try {
          return await applyEdit(workspace, { ...resolved.target, execution }, edit);
        } catch (error) {
          return toFileFailure(getSystemErrorCode(error), path, workspace);
        }
      }),
  });
}

function findEditProblem({ old, new: replacement }: FileEdit): string | null {
  if (old === replacement)
    return '"old" and "new" are the same, so nothing was changed. Give a "new" that differs.';
  if (!replacement.isWellFormed())
    return '"new" contains half a character (a lone surrogate). Write it again without it.';
  return null;
}

type ChangeTarget = {
  readonly path: string;
  readonly realPath: string;
  readonly execution: ExecutionHandle | undefined;
};

async function applyEdit(
  workspace: AgentWorkspace,
  target: ChangeTarget,
  edit: FileEdit,
): Promise<ToolResult> {
  const { path, realPath, execution } = target;
  const before = await readWorkspaceText(workspace.root, realPath);
  if (before.kind === 'missing') return toFileFailure('ENOENT', path, workspace);
  if (before.kind !== 'text') {
    const problem = before.kind === 'binary' ? 'is a binary file' : 'is too large to be edited';
    return createToolFailure('failed', `${quotePath(path)} ${problem}. Use another file.`);
  }
  if (workspace.isOutdated(realPath, before.version)) return toFileFailure('ESTALE', path, workspace);
  const { old, replacement } = matchLineEndings(before.text, edit);
  const offsets = findOccurrences(before.text, old);
  if (offsets.length === 0) return createNotFoundResult(before.text, edit);
  if (offsets.length > 1 && edit.all !== true) return createNotUniqueResult(before.text, offsets, path);
  const text = before.text.split(old).join(replacement);
  if (Buffer.byteLength(text) > textBytesMax) {
    return createToolFailure('failed', `${quotePath(path)} would become too large. Nothing was changed.`);
  }
  if (!(await recordIntent(execution, { path, before: before.hash, after: hashContent(text) })))
    return createToolFailure('cancelled', `Editing ${quotePath(path)} was cancelled.`);
  const { effect, version } = await replaceWorkspaceText(workspace.root, {
    realPath,
    text,
    expected: before.version,
    change: execution?.id,
  });
  workspace.recordVersion(realPath, version);
  const first = offsets[0] ?? 0;
  return {
    ok: true,
    output: { path, replacements: offsets.length, now: formatEditExcerpt(text, first, replacement.length) },
    files: [effect],
  };
}

/** The read tool hides carriage returns from the model, so convert "old" and "new" to CRLF if the file uses it. */
function matchLineEndings(
  text: string,
  { old, new: replacement }: FileEdit,
): { readonly old: string; readonly replacement: string } {
  if (text.includes(old) || !text.includes('\r\n') || old.includes('\r')) return { old, replacement };
  return { old: addCarriageReturns(old), replacement: addCarriageReturns(replacement) };
}

function addCarriageReturns(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}

function createNotFoundResult(text: string, { path, old }: FileEdit): ToolResult {
  const nearest = findNearestText(text, old);
  const problem = `The text to replace was not found in ${quotePath(path)}.`;
  if (nearest === null)
    return createToolFailure('failed', `${problem} Nothing in the file is similar: read the file first.`);
  const note = nearest.differsInWhitespace ? ', which differ only in whitespace' : '';
  const last = nearest.lines.at(-1)?.number ?? nearest.first;
  return createToolFailure(
    'failed',
    `${problem} The most similar text is on lines ${nearest.first} to ${last}${note}:\n${formatLines(nearest.lines)}\n` +
      'Copy "old" from there, without the line numbers.',
  );
}

function createNotUniqueResult(text: string, offsets: readonly number[], path: string): ToolResult {
  const lines = offsets.slice(0, 10).map((at) => getLineNumber(text, at));
  const more = offsets.length > lines.length ? ' and more' : '';
  return createToolFailure(
    'failed',
    `The text to replace is not unique in ${quotePath(path)}: it occurs ${offsets.length} times, on lines ` +
      `${lines.join(', ')}${more}. Include more surrounding text, or set "all" to true.`,
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
