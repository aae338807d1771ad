/*
 * Two agents that get stuck, and their tools. Every example in this folder runs them in a different host. They ignore
 * advice, so they end only when no tools are offered.
 */

export type ScriptCall = { readonly tool: 'read' | 'run'; readonly args: Readonly<Record<string, string>> };

export type ScriptMove = { readonly calls: readonly ScriptCall[] } | { readonly text: string };

/** The model's next move, given the number of previous requests and whether tools are offered. */
export type AgentScript = (asked: number, hasTools: boolean) => ScriptMove;

/** Reads the same file forever. */
export const readSameFile: AgentScript = (asked, hasTools) =>
  hasTools
    ? { calls: [{ tool: 'read', args: { path: 'notes.md' } }] }
    : { text: `I read notes.md ${asked} times. It says: ship on Friday.` };

/** Alternates between two commands that both fail. */
export const alternateCommands: AgentScript = (asked, hasTools) =>
  hasTools
    ? { calls: [{ tool: 'run', args: { command: asked % 2 === 0 ? 'make' : 'npm test' } }] }
    : { text: `After ${asked} tries neither make nor npm test works here.` };

export const agentScripts: Readonly<Record<string, AgentScript>> = {
  sameFile: readSameFile,
  backAndForth: alternateCommands,
};

export const exampleTools = {
  read: (_path: string): string => 'Ship on Friday.',
  run: (command: string): string => {
    throw new Error(
      command === 'make' ? 'make: no rule to make target' : 'npm: there is no script called test',
    );
  },
};

export type ExampleResult = { readonly steps: number; readonly text: string };

/** Runs both agents with and without the governor and prints the results. */
export async function compareGoverned(
  run: (script: AgentScript, isGoverned: boolean) => Promise<ExampleResult>,
): Promise<void> {
  for (const [name, script] of Object.entries(agentScripts)) {
    for (const isGoverned of [false, true]) {
      const { steps, text } = await run(script, isGoverned);
      console.log(`${name} ${isGoverned ? 'with Pawl' : 'alone'}: ${steps} steps, ${text || 'no answer'}`);
    }
  }
}
