import * as z from 'zod';
import { getSystemErrorCode } from '../platform/files.ts';
import {
  toFileFailure,
  readFileToChange,
  resolvePathToChange,
  computePairOverlap,
  listLetterPairs,
  type ChangeTarget,
} from './file-errors.ts';
import { formatLines, lineCutMark, type NumberedLine } from './read.ts';
import { recordIntent, createFileReconciler } from './reconcile-file.ts';
import { defineTool, createToolFailure, type Tool, type ToolResult } from './tool.ts';
import { hashContent, readWorkspaceText, replaceWorkspaceText, textBytesMax } from './workspace-file.ts';
import { quotePath, type AgentWorkspace } from './workspace.ts';

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
    async preview(edit) {
      const text = (await readFileToChange(workspace, edit.path))?.text ?? null;
      if (text === null) return null;
      const edited = editText(text, edit);
      return edited.ok ? { path: edit.path, before: text, after: edited.text } : null;
    },
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
  const edited = editText(before.text, edit);
  if (!edited.ok) return edited.failure;
  const { text, offsets, replacement } = edited;
  if (!(await recordIntent(execution, { path, before: before.hash, after: hashContent(text) })))
    return createToolFailure('cancelled', `Editing ${quotePath(path)} was cancelled.`);
  const { addFileDiff } = await import('./file-diff.ts');
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
    files: [addFileDiff(effect, { path, before: before.text, after: text })],
  };
}

type EditedText =
  | {
      readonly ok: true;
      readonly text: string;
      readonly offsets: readonly number[];
      readonly replacement: string;
    }
  | { readonly ok: false; readonly failure: ToolResult };

function editText(before: string, edit: FileEdit): EditedText {
  const { path } = edit;
  const { old, replacement } = matchLineEndings(before, edit);
  const offsets = findOccurrences(before, old);
  if (offsets.length === 0) return { ok: false, failure: createNotFoundResult(before, edit) };
  if (offsets.length > 1 && edit.all !== true)
    return { ok: false, failure: createNotUniqueResult(before, offsets, path) };
  const text = before.split(old).join(replacement);
  if (Buffer.byteLength(text) <= textBytesMax) return { ok: true, text, offsets, replacement };
  const problem = `${quotePath(path)} would become too large. Nothing was changed.`;
  return { ok: false, failure: createToolFailure('failed', problem) };
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

/** Returns the offsets of a piece in a text, without overlaps. */
function findOccurrences(text: string, piece: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) offsets.push(at);
  return offsets;
}

/** Returns the 1-based line number of an offset. */
function getLineNumber(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}

type NearestText = {
  readonly first: number;
  readonly lines: readonly NumberedLine[];
  /** Whether the text differs only in whitespace. */
  readonly differsInWhitespace: boolean;
};

/** Limits for the lines compared and shown; enough for any file edited by hand. */
const comparedLinesMax = 50_000;
const nearLinesMax = 15;
const shownCharsMax = 300;

/** Finds the lines most similar to a piece that is not in the text; null if none is similar. */
function findNearestText(text: string, piece: string): NearestText | null {
  const lines = text.split('\n').slice(0, comparedLinesMax);
  const target = piece.trim().split('\n');
  const start = findBestStart(lines.map(normalizeWhitespace), target.map(normalizeWhitespace));
  if (start === null) return null;
  const nearest = lines.slice(start, start + target.length);
  const shown = nearest.slice(0, nearLinesMax).map((line, index) => ({
    number: start + index + 1,
    text: line.length > shownCharsMax ? line.slice(0, shownCharsMax) + lineCutMark : line.replace(/\r$/, ''),
  }));
  return {
    first: start + 1,
    lines: shown,
    differsInWhitespace: normalizeWhitespace(nearest.join(' ')).includes(
      normalizeWhitespace(target.join(' ')),
    ),
  };
}

/** Whitespace is the most common difference. */
function normalizeWhitespace(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

function findBestStart(lines: readonly string[], target: readonly string[]): number | null {
  return findMostEqualLines(lines, target) ?? findMostAlikeLine(lines, target);
}

/** A line that the piece repeats more often than this says nothing about its position. */
const repeatsMax = 20;

/** Finds the start where most lines of the piece match exactly. Each line of the text votes for a start. */
function findMostEqualLines(lines: readonly string[], target: readonly string[]): number | null {
  const indexesByLine = indexLines(target);
  const votes = new Map<number, number>();
  let best: { readonly start: number; readonly votes: number } | null = null;
  for (const [index, line] of lines.entries()) {
    for (const lineIndex of indexesByLine.get(line) ?? []) {
      const start = Math.max(0, index - lineIndex);
      const count = (votes.get(start) ?? 0) + 1;
      votes.set(start, count);
      if (count > (best?.votes ?? 0)) best = { start, votes: count };
    }
  }
  return best?.start ?? null;
}

function indexLines(target: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const indexesByLine = new Map<string, number[]>();
  for (const [index, line] of target.entries()) {
    if (line === '') continue;
    const at = indexesByLine.get(line) ?? [];
    if (at.length < repeatsMax) at.push(index);
    indexesByLine.set(line, at);
  }
  return indexesByLine;
}

/** Limits for the characters and lines compared, and the minimum similarity. */
const alikeCharsMax = 200;
const alikeLinesMax = 5_000;
const alikeMin = 0.5;

/** Fallback when no line is equal: aligns the longest line of the piece with the line most similar to it. */
function findMostAlikeLine(lines: readonly string[], target: readonly string[]): number | null {
  const longest = target.reduce((a, b) => (b.length > a.length ? b : a), '');
  if (longest === '') return null;
  const pairs = listLetterPairs(longest.slice(0, alikeCharsMax));
  let best = { at: -1, likeness: alikeMin };
  for (const [at, line] of lines.slice(0, alikeLinesMax).entries()) {
    const similarity = line.includes(longest)
      ? 1
      : computePairOverlap(pairs, listLetterPairs(line.slice(0, alikeCharsMax)));
    if (similarity > best.likeness) best = { at, likeness: similarity };
  }
  return best.at === -1 ? null : Math.max(0, best.at - target.indexOf(longest));
}
