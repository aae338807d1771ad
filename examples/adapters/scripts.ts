/*
 * Two agents that go round in circles, and the tools they have. Every example in this folder runs them in another host. They
 * heed no advice; what ends them is that there are no tools left to call.
 */

export type Call = { readonly tool: 'read' | 'run'; readonly args: Readonly<Record<string, string>> };

export type Move = { readonly calls: readonly Call[] } | { readonly text: string };

/** What the model does next, by how often it has been asked and by whether it is offered tools. */
export type Script = (asked: number, hasTools: boolean) => Move;

/** Reads the same file forever. */
export const sameFile: Script = (asked, hasTools) =>
  hasTools
    ? { calls: [{ tool: 'read', args: { path: 'notes.md' } }] }
    : { text: `I read notes.md ${asked} times. It says: ship on Friday.` };

/** Goes back and forth between two commands that both fail. */
export const backAndForth: Script = (asked, hasTools) =>
  hasTools
    ? { calls: [{ tool: 'run', args: { command: asked % 2 === 0 ? 'make' : 'npm test' } }] }
    : { text: `After ${asked} tries neither make nor npm test works here.` };

export const scripts: Readonly<Record<string, Script>> = { sameFile, backAndForth };

export const tools = {
  read: (_path: string): string => 'Ship on Friday.',
  run: (command: string): string => {
    throw new Error(
      command === 'make' ? 'make: no rule to make target' : 'npm: there is no script called test',
    );
  },
};

export type Ran = { readonly steps: number; readonly text: string };

/** Runs both agents with and without the governor and prints what came of it. */
export async function compare(run: (script: Script, isGoverned: boolean) => Promise<Ran>): Promise<void> {
  for (const [name, script] of Object.entries(scripts)) {
    for (const isGoverned of [false, true]) {
      const { steps, text } = await run(script, isGoverned);
      console.log(`${name} ${isGoverned ? 'with Pawl' : 'alone'}: ${steps} steps, ${text || 'no answer'}`);
    }
  }
}
