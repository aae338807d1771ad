import { relative, sep } from 'node:path';
import type { Json } from '@pawl/core';
import { interrupted } from '../executions/interrupted.ts';
import { placeToChange } from './file-errors.ts';
import type { Settle, ToolExecution } from './tool.ts';
import { clearTemporary, readText } from './workspace-file.ts';
import { quoted } from './workspace-path.ts';
import type { Workspace } from './workspace.ts';

/** What a change of a file is about to do: from what the file held, to what it is to hold, each by its hash; null for no file. */
export type FileIntent = { readonly path: string; readonly before: string | null; readonly after: string };

/** Puts the change on record. False when nobody wants it any longer; without a record there is nobody to ask. */
export function intendChange(execution: ToolExecution | undefined, intent: FileIntent): Promise<boolean> {
  return execution === undefined ? Promise.resolve(true) : execution.intend(intent);
}

/** A look at the file tells whether a change was made: never in part, since a file is replaced as a whole. */
export function settleFile(workspace: Workspace): Settle {
  return (_args, unfinished) =>
    workspace.inTurn(async () => {
      const intent = asIntent(unfinished.intent);
      if (intent === null) return interrupted(unfinished);
      const { path, before, after } = intent;
      const found = await placeToChange(workspace, path);
      if (!found.ok) return found.refusal;
      const { realPath } = found.place;
      await clearTemporary(workspace.root, realPath, unfinished.execution);
      const now = await readText(workspace.root, realPath);
      const hash = now.kind === 'text' ? now.hash : null;
      if (now.kind === 'text' && hash === after) {
        workspace.saw(realPath, now.version);
        return {
          ok: true,
          output: { path, done: doneBefore },
          files: [{ path: nameOf(workspace, realPath), hash: after }],
        };
      }
      const isAsBefore = hash === before && (now.kind === 'text' || now.kind === 'missing');
      return isAsBefore ? 'run-again' : interrupted(unfinished, `${quoted(path)} ${neither}`);
    });
}

const doneBefore = 'It was done before Pawl ended: the file holds what it was to hold.';
const neither = 'holds neither what it held before nor what it was to hold.';

function asIntent(intent: Json): FileIntent | null {
  if (typeof intent !== 'object' || intent === null || Array.isArray(intent)) return null;
  const { path, before, after } = intent as Partial<FileIntent>;
  if (typeof path !== 'string' || typeof after !== 'string') return null;
  return typeof before === 'string' || before === null ? { path, before, after } : null;
}

function nameOf({ root }: Workspace, realPath: string): string {
  return relative(root, realPath).split(sep).join('/');
}
