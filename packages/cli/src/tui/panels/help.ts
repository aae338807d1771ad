import { blank, fitted, padded, seg, type Line } from '../line.ts';
import type { ScreenModel } from '../screen.ts';

/** The keys, and what the signs mean. */
export function help({ about }: ScreenModel, columns: number): readonly Line[] {
  const keys = about.mode === 'watch' ? watching : working;
  const rows = [...keys, null, ...looking, null, ...signs];
  return rows.map((row) =>
    row === null ? blank : fitted([...padded([seg(`   ${row[0]}`, 'strong')], 22), seg(row[1])], columns),
  );
}

type Row = readonly [what: string, meaning: string];

const working: readonly Row[] = [
  ['enter', 'write a message, also while the agent works'],
  ['p', 'pause, and go on'],
  ['f', 'finish now: one last answer from what there is'],
  ['esc', 'interrupt the turn, or leave the line or the view'],
  ['y  n  a', 'may this call run: yes, no, always for this one'],
  ['ctrl-c twice', 'leave; the session is kept'],
];

const watching: readonly Row[] = [['q, ctrl-c', 'stop watching; the session goes on where it runs']];

const looking: readonly Row[] = [
  ['tab, shift-tab', 'the next view, the one before'],
  ['↑ ↓ page-up/down', 'read back; end follows again'],
  ['o', 'open and close the cards of tools'],
  ['?', 'this page'],
];

const signs: readonly Row[] = [
  ['◉ ● ○', 'where the work is, was since you spoke, was not'],
  ['▸ ✓ ✗', 'a tool that runs, that is done, that failed'],
  ['⊘ –', 'a call that was denied, that was called off'],
  ['▰▰▱▱', 'how much is used, of budgets, memory and window'],
];
