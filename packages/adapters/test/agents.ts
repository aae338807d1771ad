import type { Move, Script } from '../../../examples/adapters/scripts.ts';

/** Agents that every host is tried with, besides those of the examples. */

/** Reads one file after another, two hundred of them, and then answers. */
export const productive: Script = (asked) =>
  asked < 200 ? { calls: [{ tool: 'read', args: { path: `file-${asked}` } }] } : { text: 'All read.' };

/** Makes one failing call over and over, at first next to one that works. */
export const insistent: Script = (asked, hasTools) =>
  hasTools
    ? {
        calls: [
          ...(asked === 0 ? [{ tool: 'read' as const, args: { path: 'Makefile' } }] : []),
          { tool: 'run', args: { command: 'make' } },
        ],
      }
    : { text: 'It cannot be made.' };

/** Goes on calling tools although it is offered none. */
export const deaf: Script = () => ({ calls: [{ tool: 'read', args: { path: 'notes.md' } }] });

/** A script that writes down how often it was asked and whether it was offered tools. */
export function recorded(script: Script): Script & { readonly offers: boolean[] } {
  const offers: boolean[] = [];
  const play = (asked: number, hasTools: boolean): Move => {
    offers.push(hasTools);
    return script(asked, hasTools);
  };
  return Object.assign(play, { offers });
}

/** What stands in the place of the governor's words. */
export const note = /Note from the run’s governor/;

export function countOf(text: string, pattern: RegExp): number {
  return [...text.matchAll(new RegExp(pattern, 'g'))].length;
}
