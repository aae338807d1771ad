import type { FolderIndex } from '../search/index-folder.ts';
import { describeEnvironment } from './environment-section.ts';
import { readProjectInstructions } from './project-instructions.ts';

type CodingPromptOptions = {
  readonly folder: FolderIndex;
  /** Whether AGENTS.md files are part of the prompt. */
  readonly projectInstructions: boolean;
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly signal: AbortSignal;
};

/** The system prompt of an agent that works in a folder, and what the user must know about it. */
export type CodingPrompt = { readonly text: string; readonly warnings: readonly string[] };

const codingInstructions = `You are a coding agent that works in a project folder for the user. Investigate before you act: search and read first.
Work in small steps, verify each one, and run the tests if there are any. Change only what the task requires. When the task
is done, or cannot be done, call finish with an answer that states what you did and what remains to be done.`;

/**
 * Builds the prompt once for each start of an agent, never for each request, so that the provider's prompt cache stays
 * valid. It is not part of the session, so a replay reads neither the folder nor git.
 */
export async function buildCodingPrompt(options: CodingPromptOptions): Promise<CodingPrompt> {
  const { folder, projectInstructions, at, signal } = options;
  const environment = await describeEnvironment(folder.root, { at, signal });
  const project = projectInstructions ? await readProjectInstructions(folder) : { section: '', warnings: [] };
  const parts = [codingInstructions, environment, project.section];
  return { text: parts.filter((part) => part !== '').join('\n\n'), warnings: project.warnings };
}
