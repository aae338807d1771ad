import { toFileFailure, readFileToChange, resolvePathToChange, type ChangeTarget } from './file-errors.ts';
import * as z from 'zod';
import { getSystemErrorCode } from '../platform/files.ts';
import { recordIntent, createFileReconciler } from './reconcile-file.ts';
import { defineTool, createToolFailure, type Tool, type ToolResult } from './tool.ts';
import {
  hashContent,
  readWorkspaceText,
  replaceWorkspaceText,
  textBytesMax,
  type ReadTextResult,
} from './workspace-file.ts';
import { quotePath, type AgentWorkspace } from './workspace.ts';

/** Creates a file or replaces its whole content. */
export function createWriteTool(workspace: AgentWorkspace): Tool {
  return defineTool({
    name: 'write',
    effect: 'verifiable',
    isConfinedToFolder: true,
    timeoutMs: 30_000,
    description:
      'Write a text file in the folder: create it, with its parent folders, or replace its whole content. Reports what ' +
      'was replaced. To change part of a file, use edit.',
    parameters: z.object({
      path: z.string().min(1).describe('Path of the file, relative to the folder.'),
      content: z.string().max(textBytesMax).describe('The complete content of the file.'),
    }),
    reconcile: createFileReconciler(workspace),
    async preview({ path, content }) {
      const before = await readFileToChange(workspace, path);
      return before === null ? null : { path, before: before.text, after: content };
    },
    run: ({ path, content }, { signal, execution }) =>
      workspace.runExclusive(async () => {
        if (signal.aborted)
          return createToolFailure('cancelled', `Writing ${quotePath(path)} was cancelled.`);
        if (!content.isWellFormed()) return createToolFailure('invalid', loneSurrogateText);
        const resolved = await resolvePathToChange(workspace, path);
        if (!resolved.ok) return resolved.refusal;
        try {
          return await writeWholeFile(workspace, { ...resolved.target, execution }, content);
        } catch (error) {
          return toFileFailure(getSystemErrorCode(error), path, workspace);
        }
      }),
  });
}

const loneSurrogateText =
  'The content contains half a character (a lone surrogate). Write it again without it.';

async function writeWholeFile(
  workspace: AgentWorkspace,
  target: ChangeTarget,
  text: string,
): Promise<ToolResult> {
  const { path, realPath, execution } = target;
  const before = await readWorkspaceText(workspace.root, realPath);
  if (before.kind === 'binary' || before.kind === 'too-large') {
    const problem = before.kind === 'binary' ? 'is a binary file' : 'is too large to be text';
    return createToolFailure(
      'failed',
      `${quotePath(path)} ${problem}. It was not replaced; write to another path.`,
    );
  }
  if (before.kind === 'text' && workspace.isOutdated(realPath, before.version)) {
    return toFileFailure('ESTALE', path, workspace);
  }
  const expected = before.kind === 'text' ? before.version : null;
  const intent = { path, before: before.kind === 'text' ? before.hash : null, after: hashContent(text) };
  if (!(await recordIntent(execution, intent)))
    return createToolFailure('cancelled', `Writing ${quotePath(path)} was cancelled.`);
  const previous = before.kind === 'text' ? before.text : null;
  const { countLines, addFileDiff } = await import('./file-diff.ts');
  const { effect, version } = await replaceWorkspaceText(workspace.root, {
    realPath,
    text,
    expected,
    change: execution?.id,
  });
  workspace.recordVersion(realPath, version);
  return {
    ok: true,
    output: {
      path,
      lines: countLines(text),
      replaced: describeReplaced(before, effect.hash, countLines(previous ?? '')),
    },
    files: [addFileDiff(effect, { path, before: previous, after: text })],
  };
}

function describeReplaced(before: ReadTextResult, hash: string, lines: number): string {
  if (before.kind !== 'text') return 'nothing: the file is new';
  if (before.hash === hash) return 'the same content';
  return `${lines} lines, ${before.bytes} bytes`;
}
