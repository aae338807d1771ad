import * as z from 'zod';
import { parseGlob } from '../search/glob.ts';
import { indexLimits } from '../search/limits.ts';
import { walkFolder } from '../search/indexed-folder.ts';
import { defineTool, createToolFailure, type Tool, type ToolResult } from './tool.ts';
import type { AgentWorkspace } from './workspace.ts';

const pathLimits = { most: 1_000, fallback: 200 } as const;
const patternCharsMax = 1_000;

/** Lists files whose paths match a glob pattern. */
export function createGlobTool({ root }: Pick<AgentWorkspace, 'root'>): Tool {
  return defineTool({
    name: 'glob',
    effect: 'read-only',
    timeoutMs: 30_000,
    outputCharsMax: 60_000,
    description:
      'List the files of the folder whose path fits a pattern, such as "src/**/*.ts" or "**/*.{md,txt}". Dependencies, ' +
      'build output and what .gitignore names are left out, and links are not followed.',
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
        .describe(`Paths to return; ${pathLimits.fallback} if left out.`),
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
  const fits = parseGlob(pattern.replace(/^(?:\.?\/)+/, ''));
  if (fits === null)
    return createToolFailure('invalid', 'The braces in the pattern stand for too many patterns.');
  const paths: string[] = [];
  let looked = 0;
  let matched = 0;
  let complete = true;
  for await (const found of walkFolder(root, indexLimits)) {
    if (signal.aborted) return createToolFailure('cancelled', 'Looking for files was called off.');
    if (found.kind === 'skip' && found.skip.reason === 'limit-reached') complete = false;
    if (found.kind !== 'file') continue;
    looked += 1;
    if (!fits(found.path)) continue;
    matched += 1;
    if (paths.length < limit) paths.push(found.path);
  }
  return { ok: true, output: { pattern, matched, looked, complete, paths } };
}
