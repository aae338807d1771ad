import { fitted, joined, seg, type Line } from '../line.ts';
import { isWaiting, type ScreenModel } from '../screen.ts';

/** What just happened to the view, or else the keys that do something here. */
export function footer(model: ScreenModel, columns: number): Line {
  const { trouble, ui } = model;
  if (trouble !== null) {
    return fitted(
      [seg(` Nothing can be kept (${trouble.kind}): ${trouble.message} The work waits.`, 'bad')],
      columns,
    );
  }
  if (ui.notice !== null) return fitted([seg(` ${ui.notice.text}`, 'warn')], columns);
  const keys = hints(model).map(([key, what]): Line => [seg(key, 'strong'), seg(` ${what}`, 'dim')]);
  return [seg(' '), ...joined(keys, columns - 2)];
}

type Hint = readonly [key: string, what: string];

function hints(model: ScreenModel): readonly Hint[] {
  const { ui, session, about } = model;
  const views: readonly Hint[] = [
    ['tab', 'views'],
    ['?', 'help'],
  ];
  if (ui.view !== 'work') return [['↑↓', 'scroll'], ['esc', 'back'], ...views];
  if (about.mode === 'watch') return [['q', 'stop watching'], ...views];
  if (ui.isTyping) return typingHints(model);
  const { status } = session.turn;
  if (status === 'halted' || status === 'shuttingDown') return views;
  if (isWaiting(model)) return [['enter', 'write'], ...views, ['ctrl-c', 'leave']];
  return [
    ['enter', 'write'],
    ['p', status === 'paused' ? 'go on' : 'pause'],
    ['f', 'finish now'],
    ['esc', 'interrupt'],
    ...views,
    ['o', ui.cardsOpen ? 'close cards' : 'open cards'],
  ];
}

function typingHints(model: ScreenModel): readonly Hint[] {
  const send: Hint = ['enter', isWaiting(model) || model.questions.length > 0 ? 'send' : 'steer'];
  return [send, ['esc', 'leave the line'], ['tab', 'views'], ['ctrl-c', 'leave']];
}
