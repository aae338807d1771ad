import { truncateLine, joinPieces, createSegment, type StyledLine } from '../styled-line.ts';
import { isWaitingForUser, type ScreenModel } from '../screen-model.ts';

/** Renders the current notice, or else the available keys. */
export function renderFooter(model: ScreenModel, columns: number): StyledLine {
  const { trouble, ui } = model;
  if (trouble !== null) {
    return truncateLine(
      [createSegment(` Nothing can be kept (${trouble.kind}): ${trouble.message} The work waits.`, 'bad')],
      columns,
    );
  }
  if (ui.notice !== null) return truncateLine([createSegment(` ${ui.notice.text}`, 'warn')], columns);
  const keys = getKeyHints(model).map(([key, what]): StyledLine => [
    createSegment(key, 'strong'),
    createSegment(` ${what}`, 'dim'),
  ]);
  return [createSegment(' '), ...joinPieces(keys, columns - 2)];
}

type KeyHint = readonly [key: string, what: string];

function getKeyHints(model: ScreenModel): readonly KeyHint[] {
  const { ui, session, about } = model;
  const views: readonly KeyHint[] = [
    ['tab', 'views'],
    ['?', 'help'],
  ];
  if (ui.view !== 'work') return [['↑↓', 'scroll'], ['esc', 'back'], ...views];
  if (about.mode === 'watch') return [['q', 'stop watching'], ...views];
  if (ui.isTyping) return getTypingHints(model);
  const { status } = session.turn;
  if (status === 'halted' || status === 'shuttingDown') return views;
  if (isWaitingForUser(model)) return [['enter', 'write'], ...views, ['ctrl-c', 'leave']];
  return [
    ['enter', 'write'],
    ['p', status === 'paused' ? 'go on' : 'pause'],
    ['f', 'finish now'],
    ['esc', 'interrupt'],
    ...views,
    ['o', ui.cardsOpen ? 'close cards' : 'open cards'],
  ];
}

function getTypingHints(model: ScreenModel): readonly KeyHint[] {
  const send: KeyHint = ['enter', isWaitingForUser(model) || model.questions.length > 0 ? 'send' : 'steer'];
  return [send, ['esc', 'leave the line'], ['tab', 'views'], ['ctrl-c', 'leave']];
}
