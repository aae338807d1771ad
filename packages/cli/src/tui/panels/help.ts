import { blankLine, truncateLine, padLine, createSegment, type StyledLine } from '../styled-line.ts';
import type { ScreenModel } from '../screen-model.ts';

/** Renders the keys and the meaning of the symbols. */
export function renderHelp({ about }: ScreenModel, columns: number): readonly StyledLine[] {
  const keys = about.mode === 'watch' ? watchingKeyHelp : workingKeyHelp;
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

type HelpEntry = readonly [what: string, meaning: string];

const workingKeyHelp: readonly HelpEntry[] = [
  ['enter', 'write a message, also while the agent works'],
  ['p', 'pause, and go on'],
  ['f', 'finish now: one last answer from what there is'],
  ['esc', 'interrupt the turn, or leave the line or the view'],
  ['y  n  a', 'may this call run: yes, no, always for this one'],
  ['ctrl-c twice', 'leave; the session is kept'],
];

const watchingKeyHelp: readonly HelpEntry[] = [
  ['q, ctrl-c', 'stop watching; the session goes on where it runs'],
];

const viewKeyHelp: readonly HelpEntry[] = [
  ['tab, shift-tab', 'the next view, the one before'],
  ['↑ ↓ page-up/down', 'read back; end follows again'],
  ['o', 'open and close the cards of tools'],
  ['?', 'this page'],
];

const symbolMeanings: readonly HelpEntry[] = [
  ['◉ ● ○', 'where the work is, was since you spoke, was not'],
  ['▸ ✓ ✗', 'a tool that runs, that is done, that failed'],
  ['⊘ –', 'a call that was denied, that was called off'],
  ['▰▰▱▱', 'how much is used, of budgets, memory and window'],
];
