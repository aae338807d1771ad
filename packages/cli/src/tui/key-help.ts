import {
  truncateLine,
  joinPieces,
  createSegment,
  type StyledLine,
  blankLine,
  padLine,
} from './styled-line.ts';
import { listCompletions } from './completion.ts';
import { getOpenQuestion } from './questions.ts';
import { isWaitingForUser, type PendingQuestion, type ScreenModel } from './screen-model.ts';
import { slashCommands } from './slash-commands.ts';

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
  const { ui, descriptor } = model;
  if (descriptor.mode === 'watch')
    return [
      ['esc', ui.view === 'work' ? 'stop watching' : 'back'],
      ['tab', 'views'],
      ['↑↓', 'scroll'],
    ];
  if (listCompletions(model).length > 0)
    return [
      ['tab', 'complete'],
      ['↑↓', 'select'],
      ['esc', 'close'],
    ];
  if (ui.view !== 'work')
    return [
      ['↑↓', 'scroll'],
      ['esc', 'back'],
      ['tab', 'next view'],
    ];
  const pending = getOpenQuestion(model);
  if (pending !== null) return getQuestionHints(model, pending);
  if (isWaitingForUser(model))
    return [
      ['enter', 'send'],
      ['/', 'commands'],
      ['tab', 'views'],
      ['ctrl-c', 'quit'],
    ];
  return [
    ['enter', 'send while it works'],
    ['esc', 'interrupt'],
    ['/', 'commands'],
    ['ctrl-o', 'tool output'],
  ];
}

function getQuestionHints({ ui }: ScreenModel, { kind }: PendingQuestion): readonly KeyHint[] {
  if (!ui.isAnswering)
    return [
      ['enter', 'send this message, then answer'],
      ['esc', 'interrupt'],
    ];
  if (kind === 'model')
    return [
      ['enter', 'answer'],
      ['esc', 'interrupt'],
    ];
  return [
    ['↑↓ 1–3', 'select'],
    ['enter', 'choose'],
    ['esc', ui.input.text === '' ? 'interrupt' : 'clear'],
  ];
}

/** Renders the commands, the keys and the meaning of the symbols. */
export function renderHelp({ descriptor }: ScreenModel, columns: number): readonly StyledLine[] {
  const commands = slashCommands.map(({ name, description }): HelpEntry => [`/${name}`, description]);
  const rows =
    descriptor.mode === 'watch'
      ? [...watchingKeyHelp, ...viewKeyHelp, null, ...symbolMeanings]
      : [...typingKeyHelp, ...viewKeyHelp, null, ...commands, null, ...symbolMeanings];
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

const typingKeyHelp: readonly HelpEntry[] = [
  ['enter', 'send the message, or choose the selected answer'],
  ['ctrl-j, alt-enter', 'new line; so does \\ before enter'],
  ['↑ ↓', 'lines of the message, then earlier messages'],
  ['@', 'complete the name of a file with tab'],
  ['ctrl-g', 'edit the message in $EDITOR'],
  ['esc', 'interrupt the turn; clears the message when the agent waits'],
  ['ctrl-c twice', 'quit'],
];

const watchingKeyHelp: readonly HelpEntry[] = [['esc, ctrl-c', 'stop watching; the session keeps running']];

const viewKeyHelp: readonly HelpEntry[] = [
  ['tab, shift-tab', 'next view, previous view, while nothing is typed'],
  ['page-up, page-down', 'scroll; end follows new content again'],
  ['ctrl-o', 'show or hide tool output'],
];

const symbolMeanings: readonly HelpEntry[] = [
  ['◉ ● ○', 'current state, visited since your last message, not visited'],
  ['▸ ✓ ✗', 'tool call: running, done, failed'],
  ['⊘ –', 'tool call: denied, cancelled'],
  ['▰▰▱▱', 'usage of a budget, of memory or of the context window'],
];
