import { relative } from 'node:path';
import type { Json } from '@pawl/core';
import { createInterruptedResult, type ReconcileCall, type ExecutionHandle } from './tool.ts';
import { toSlashes } from '../platform/platform.ts';
import { resolvePathToChange } from './file-errors.ts';
import { removeTemporaryFile, readWorkspaceText } from './workspace-file.ts';
import { quotePath, type AgentWorkspace } from './workspace.ts';

/** The hashes of a file's content before and after a planned change; `before` is null if the file does not exist. */
export type FileIntent = { readonly path: string; readonly before: string | null; readonly after: string };

/**
 * Records the planned change. Resolves to false if the call is no longer wanted; without an execution it always
 * proceeds.
 */
export function recordIntent(execution: ExecutionHandle | undefined, intent: FileIntent): Promise<boolean> {
  return execution === undefined ? Promise.resolve(true) : execution.recordIntent(intent);
}

/** Reconciles an interrupted change by comparing hashes; it is never partial, because a file is replaced atomically. */
export function createFileReconciler(workspace: AgentWorkspace): ReconcileCall {
  return (_args, unfinished) =>
    workspace.runExclusive(async () => {
      const intent = parseFileIntent(unfinished.intent);
      if (intent === null) return createInterruptedResult(unfinished);
      const { path, before, after } = intent;
      const resolved = await resolvePathToChange(workspace, path);
      if (!resolved.ok) return resolved.refusal;
      const { realPath } = resolved.target;
      await removeTemporaryFile(workspace.root, realPath, unfinished.execution);
      const current = await readWorkspaceText(workspace.root, realPath);
      const hash = current.kind === 'text' ? current.hash : null;
      if (current.kind === 'text' && hash === after) {
        workspace.recordVersion(realPath, current.version);
        return {
          ok: true,
          output: { path, done: alreadyDoneText },
          files: [{ path: toWorkspaceName(workspace, realPath), hash: after }],
        };
      }
      const isUnchanged = hash === before && (current.kind === 'text' || current.kind === 'missing');
      return isUnchanged
        ? 'run-again'
        : createInterruptedResult(unfinished, `${quotePath(path)} ${unknownContentText}`);
    });
}

const alreadyDoneText = 'The change was completed before Pawl ended: the file has the intended content.';
const unknownContentText = 'has neither its previous nor the intended content.';

function parseFileIntent(intent: Json): FileIntent | null {
  if (typeof intent !== 'object' || intent === null || Array.isArray(intent)) return null;
  const { path, before, after } = intent as Partial<FileIntent>;
  if (typeof path !== 'string' || typeof after !== 'string') return null;
  return typeof before === 'string' || before === null ? { path, before, after } : null;
}

function toWorkspaceName({ root }: AgentWorkspace, realPath: string): string {
  return toSlashes(relative(root, realPath));
}
