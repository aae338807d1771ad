import * as z from 'zod';
import { codeOf } from '../search/system-error.ts';
import { fileFailure, placeToChange } from './file-errors.ts';
import { intendChange, settleFile } from './settle-file.ts';
import { defineTool, failure, type Tool, type ToolExecution, type ToolResult } from './tool.ts';
import { hashOf, readText, replaceText, textBytesMax, type TextRead } from './workspace-file.ts';
import { quoted } from './workspace-path.ts';
import type { Workspace } from './workspace.ts';

/** Makes a file or replaces all of it. */
export function createWriteTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'write',
    effect: 'verifiable',
    timeoutMs: 30_000,
    description:
      'Write a text file in the folder: make it, with the folders above it, or replace all that it holds. Says what ' +
      'was there before. To change a part of a file, use edit.',
    parameters: z.object({
      path: z.string().min(1).describe('Path of the file, relative to the folder.'),
      content: z.string().max(textBytesMax).describe('All that the file is to hold.'),
    }),
    settle: settleFile(workspace),
    run: ({ path, content }, { signal, execution }) =>
      workspace.inTurn(async () => {
        if (signal.aborted) return failure('cancelled', `Writing ${quoted(path)} was called off.`);
        if (!content.isWellFormed()) return failure('invalid', halfCharacter);
        const found = await placeToChange(workspace, path);
        if (!found.ok) return found.refusal;
        try {
          return await write(workspace, { ...found.place, execution }, content);
        } catch (error) {
          return fileFailure(codeOf(error), path, workspace);
        }
      }),
  });
}

const halfCharacter = 'The content has half a character in it (a lone surrogate). Write it again without.';

type Place = {
  readonly path: string;
  readonly realPath: string;
  readonly execution: ToolExecution | undefined;
};

async function write(workspace: Workspace, place: Place, text: string): Promise<ToolResult> {
  const { path, realPath, execution } = place;
  const before = await readText(workspace.root, realPath);
  if (before.kind === 'binary' || before.kind === 'too-large') {
    const what = before.kind === 'binary' ? 'is a binary file' : 'is too large to be text';
    return failure('failed', `${quoted(path)} ${what}. It is not replaced; write to another path.`);
  }
  if (before.kind === 'text' && workspace.isOutdated(realPath, before.version)) {
    return fileFailure('ESTALE', path, workspace);
  }
  const expected = before.kind === 'text' ? before.version : null;
  const intent = { path, before: before.kind === 'text' ? before.hash : null, after: hashOf(text) };
  if (!(await intendChange(execution, intent)))
    return failure('cancelled', `Writing ${quoted(path)} was called off.`);
  const { effect, version } = await replaceText(workspace.root, {
    realPath,
    text,
    expected,
    change: execution?.id,
  });
  workspace.saw(realPath, version);
  return {
    ok: true,
    output: { path, lines: linesIn(text), replaced: replaced(before, effect.hash) },
    files: [effect],
  };
}

function replaced(before: TextRead, hash: string): string {
  if (before.kind !== 'text') return 'nothing: the file is new';
  if (before.hash === hash) return 'the very same content';
  return `${linesIn(before.text)} lines, ${before.bytes} bytes`;
}

function linesIn(text: string): number {
  if (text === '') return 0;
  const ends = text.split('\n').length;
  return text.endsWith('\n') ? ends - 1 : ends;
}
