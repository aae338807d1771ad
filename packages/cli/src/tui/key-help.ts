import {
  truncateLine,
  joinPieces,
  createSegment,
  type StyledLine,
  blankLine,
  padLine,
} from './styled-line.ts';
import { isWaitingForUser, type ScreenModel } from './screen-model.ts';

/** Renders the current notice, or else the available keys. */
export function renderFooter(model: ScreenModel, columns: number): StyledLine {
  const { storeOutage, ui } = model;
  if (storeOutage !== null) {
    return truncateLine(
      [createSegment(` Cannot save (${storeOutage.kind}): ${storeOutage.message} The session waits.`, 'bad')],
      columns,
    );
  }
  if (ui.notice !== null) return truncateLine([createSegment(` ${ui.notice.text}`, 'warn')], columns);
  const keys = getKeyHints(model).map(([key, label]): StyledLine => [
    createSegment(key, 'strong'),
    createSegment(` ${label}`, 'dim'),
  ]);
  return [createSegment(' '), ...joinPieces(keys, columns - 2)];
}

type KeyHint = readonly [key: string, label: string];

function getKeyHints(model: ScreenModel): readonly KeyHint[] {
  const { ui, session, descriptor } = model;
  const views: readonly KeyHint[] = [
    ['tab', 'views'],
    ['?', 'help'],
  ];
  if (ui.view !== 'work') return [['↑↓', 'scroll'], ['esc', 'back'], ...views];
  if (descriptor.mode === 'watch') return [['q', 'stop watching'], ...views];
  if (ui.isTyping) return getTypingHints(model);
  const { status } = session.turn;
  if (status === 'halted' || status === 'shuttingDown') return views;
  if (isWaitingForUser(model)) return [['enter', 'write'], ...views, ['ctrl-c', 'quit']];
  return [
    ['enter', 'write'],
    ['p', status === 'paused' ? 'resume' : 'pause'],
    ['f', 'finish now'],
    ['esc', 'interrupt'],
    ...views,
    ['o', ui.cardsOpen ? 'close cards' : 'open cards'],
  ];
}

function getTypingHints(model: ScreenModel): readonly KeyHint[] {
  const send: KeyHint = ['enter', isWaitingForUser(model) || model.questions.length > 0 ? 'send' : 'steer'];
  return [send, ['esc', 'stop typing'], ['tab', 'views'], ['ctrl-c', 'quit']];
}

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
