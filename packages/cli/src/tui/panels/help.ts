import { blankLine, truncateLine, padLine, createSegment, type StyledLine } from '../styled-line.ts';
import type { ScreenModel } from '../screen-model.ts';

/** Renders the keys and the meaning of the symbols. */
export function renderHelp({ descriptor }: ScreenModel, columns: number): readonly StyledLine[] {
  const keys = descriptor.mode === 'watch' ? watchingKeyHelp : workingKeyHelp;
  const rows = [...keys, null, ...viewKeyHelp, null, ...symbolMeanings];
  return rows.map((row) =>
    row === null
      ? blankLine
      : truncateLine(
          [...padLine([createSegment(`   ${row[0]}`, 'strong')], 22), createSegment(row[1])],
          columns,
        ),
  );
}

type HelpEntry = readonly [key: string, meaning: string];

const workingKeyHelp: readonly HelpEntry[] = [
  ['enter', 'write a message, even while the agent works'],
  ['p', 'pause or resume'],
  ['f', 'finish now: one final answer from what the agent has'],
  ['esc', 'interrupt the turn, stop typing, or go back'],
  ['y  n  a', 'allow the call, deny it, or always allow it'],
  ['ctrl-c twice', 'quit; the session is saved'],
];

const watchingKeyHelp: readonly HelpEntry[] = [['q, ctrl-c', 'stop watching; the session keeps running']];

const viewKeyHelp: readonly HelpEntry[] = [
  ['tab, shift-tab', 'next view, previous view'],
  ['↑ ↓ page-up/down', 'scroll; end follows new content again'],
  ['o', 'show or hide tool output'],
  ['?', 'this page'],
];

const symbolMeanings: readonly HelpEntry[] = [
  ['◉ ● ○', 'current state, visited since your last message, not visited'],
  ['▸ ✓ ✗', 'tool call: running, done, failed'],
  ['⊘ –', 'tool call: denied, cancelled'],
  ['▰▰▱▱', 'usage of a budget, of memory or of the context window'],
];
