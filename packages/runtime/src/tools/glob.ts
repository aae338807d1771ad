import * as z from 'zod';
import { parseGlob } from '../search/glob.ts';
import { indexLimits } from '../search/limits.ts';
import { walkFolder } from '../search/index-folder.ts';
import { defineTool, createToolFailure, type Tool, type ToolResult } from './tool.ts';
import type { AgentWorkspace } from './workspace.ts';

const pathLimits = { most: 1_000, fallback: 200 } as const;
const patternCharsMax = 1_000;

/** Lists files whose paths match a glob pattern. */
export function createGlobTool({ root }: Pick<AgentWorkspace, 'root'>): Tool {
  return defineTool({
    name: 'glob',
    effect: 'read-only',
    isConfinedToFolder: true,
    timeoutMs: 30_000,
    outputCharsMax: 60_000,
    description:
      'List the files in the folder whose path matches a pattern, such as "src/**/*.ts" or "**/*.{md,txt}". Dependencies, ' +
      'build output and paths in .gitignore are excluded, and links are not followed.',
    parameters: z.object({
      pattern: z
        .string()
        .min(1)
        .max(patternCharsMax)
        .describe('** for any folders, * and ? within a name, [a-z], {a,b}.'),
      limit: z
        .int()
        .min(1)
        .max(pathLimits.most)
        .optional()
        .describe(`Maximum number of paths; defaults to ${pathLimits.fallback}.`),
    }),
    run: ({ pattern, limit = pathLimits.fallback }, { signal }) =>
      listMatchingFiles(root, { pattern, limit }, signal),
  });
}

type GlobRequest = { readonly pattern: string; readonly limit: number };

async function listMatchingFiles(
  root: string,
  { pattern, limit }: GlobRequest,
  signal: AbortSignal,
): Promise<ToolResult> {
  const matches = parseGlob(pattern.replace(/^(?:\.?\/)+/, ''));
  if (matches === null)
    return createToolFailure(
      'invalid',
      'The braces in the pattern expand to too many patterns. Use fewer alternatives.',
    );
  const paths: string[] = [];
  let looked = 0;
  let matched = 0;
  let complete = true;
  for await (const entry of walkFolder(root, indexLimits)) {
    if (signal.aborted) return createToolFailure('cancelled', 'The search for files was cancelled.');
    if (entry.kind === 'skip' && entry.skip.reason === 'limit-reached') complete = false;
    if (entry.kind !== 'file') continue;
    looked += 1;
    if (!matches(entry.path)) continue;
    matched += 1;
    if (paths.length < limit) paths.push(entry.path);
  }
  return { ok: true, output: { pattern, matched, looked, complete, paths } };
}
