import { tokensOf, type Session } from '@pawl/core';
import { bar, grouped, percent } from '../bar.ts';
import { fitted, joined, padded, seg, type Line } from '../line.ts';
import type { ScreenModel } from '../screen.ts';
import { money } from './governor-strip.ts';

/** On one row: how full working memory and the model's window are. */
export function memoryStrip({ session }: ScreenModel, columns: number): Line {
  const { memory } = session;
  const pieces = fullness(session).map(({ name, max, share }): Line => {
    const entries = name === 'memory' ? `, ${count(memory?.entries.size ?? 0, 'entry')}` : '';
    const label = name === 'memory' ? '' : `${name} `;
    return [
      seg(label, 'dim'),
      ...bar(share, 6),
      seg(` ${percent(share)}`),
      seg(` of ${grouped(max)}${name === 'memory' ? ' tokens' : ''}${entries}`, 'dim'),
    ];
  });
  const rest: Line = [seg(memory === null ? 'no working memory in this profile' : ofWindow(session), 'dim')];
  return [
    seg(' memory   ', 'dim'),
    ...joined([...pieces, ...(rest[0]?.text === '' ? [] : [rest])], columns - 11),
  ];
}

/** The same with a row for each. */
export function memoryColumn({ session }: ScreenModel, columns: number): readonly Line[] {
  const rows = fullness(session).map(({ name, used, max, share }): Line => [
    ...padded([seg(` ${name === 'memory' ? 'held' : name}`, 'dim')], 13),
    ...bar(share, 8),
    seg(` ${grouped(used)}/${grouped(max)}`),
  ]);
  const { memory } = session;
  const entries: readonly Line[] =
    memory === null
      ? [[seg(' none in this profile', 'dim')]]
      : [
          [
            seg(
              ` ${[count(memory.entries.size, 'entry'), ofWindow(session)].filter((text) => text !== '').join(', ')}`,
              'dim',
            ),
          ],
        ];
  return [...rows, ...entries].map((line) => fitted(line, columns));
}

/** On one row: what the work has taken so far. */
export function usedStrip(model: ScreenModel, columns: number): Line {
  return [seg(' used     ', 'dim'), ...joined(usedPieces(model), columns - 11)];
}

export function usedColumn(model: ScreenModel, columns: number): readonly Line[] {
  return usedPieces(model).map((piece) => fitted([seg(' '), ...piece], columns));
}

function usedPieces({ used }: ScreenModel): readonly Line[] {
  const { modelCalls, toolCalls, inputTokens, outputTokens, cost } = used;
  return [
    [seg(`${grouped(inputTokens)} tokens in, ${grouped(outputTokens)} out`)],
    ...(cost > 0 ? [[seg(`cost ${money(cost)}`)]] : []),
    [seg(`${count(modelCalls, 'model call')}, ${count(toolCalls, 'tool call')}`, 'dim')],
  ];
}

function count(many: number, thing: string): string {
  const things = thing.endsWith('y') ? `${thing.slice(0, -1)}ies` : `${thing}s`;
  return `${grouped(many)} ${many === 1 ? thing : things}`;
}

/** How much of the model's window working memory takes. */
function ofWindow({ memory, settings: { windowTokens } }: Session): string {
  if (memory === null || windowTokens === null || windowTokens <= 0) return '';
  return `${percent(tokensOf(memory) / windowTokens)} of the window`;
}

type Fullness = {
  readonly name: string;
  readonly used: number;
  readonly max: number;
  readonly share: number;
};

function fullness({ memory, window, settings }: Session): readonly Fullness[] {
  const held: readonly Fullness[] =
    memory === null ? [] : [shareOf('memory', tokensOf(memory), memoryMax(memory.settings))];
  const { windowTokens } = settings;
  return window === null || windowTokens === null
    ? held
    : [...held, shareOf('window', window.tokens, windowTokens)];
}

/** From the paging limit on room is made; where it is off, the hard limit is the limit. */
function memoryMax({ pagingLimit, hardLimit }: NonNullable<Session['memory']>['settings']): number {
  return pagingLimit.enable ? pagingLimit.maxTokens : hardLimit.maxTokens;
}

function shareOf(name: string, used: number, max: number): Fullness {
  return { name, used, max, share: max > 0 ? used / max : 1 };
}
