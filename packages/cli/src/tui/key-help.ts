import { truncateLine, joinPieces, createSegment, type StyledLine } from '../styled-line.ts';
import { isWaitingForUser, type ScreenModel } from '../screen-model.ts';

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
