import type { ScriptMove, AgentScript } from '../../../examples/adapters/scripts.ts';

/** Agents that every host is tested with, in addition to those of the examples. */

/** Reads one file after another, two hundred of them, and then answers. */
export const productiveScript: AgentScript = (asked) =>
  asked < 200 ? { calls: [{ tool: 'read', args: { path: `file-${asked}` } }] } : { text: 'All read.' };

/** Repeats one failing call, at first next to one that succeeds. */
export const insistentScript: AgentScript = (asked, hasTools) =>
  hasTools
    ? {
        calls: [
          ...(asked === 0 ? [{ tool: 'read' as const, args: { path: 'Makefile' } }] : []),
          { tool: 'run', args: { command: 'make' } },
        ],
      }
    : { text: 'It cannot be made.' };

/** Keeps calling tools although none are offered. */
export const ignoringScript: AgentScript = () => ({ calls: [{ tool: 'read', args: { path: 'notes.md' } }] });

/** A script that records each request and whether tools were offered. */
export function recordScript(script: AgentScript): AgentScript & { readonly offers: boolean[] } {
  const offers: boolean[] = [];
  const play = (asked: number, hasTools: boolean): ScriptMove => {
    offers.push(hasTools);
    return script(asked, hasTools);
  };
  return Object.assign(play, { offers });
}

/** Placeholder for the governor's text. */
export const governorNotePattern = /Note from the run’s governor/;

export function countMatches(text: string, pattern: RegExp): number {
  return [...text.matchAll(new RegExp(pattern, 'g'))].length;
}
