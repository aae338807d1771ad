import type { Session } from '@pawl/core';
import { countMemoryTokens, getMemoryLimit } from '@pawl/core/memory';
import {
  renderBar,
  formatInteger,
  formatPercent,
  truncateLine,
  joinPieces,
  padLine,
  createSegment,
  type StyledLine,
} from './styled-line.ts';
import type { ScreenModel } from './screen-model.ts';
import { formatMoney } from './governor-strip.ts';

/** Renders the usage of working memory and of the model's context window on one row. */
export function renderMemoryStrip({ session }: ScreenModel, columns: number): StyledLine {
  const { memory } = session;
  const pieces = computeCapacityUsage(session).map(({ name, max, share }): StyledLine => {
    const entries = name === 'memory' ? `, ${formatItemCount(memory?.entries.size ?? 0, 'entry')}` : '';
    const label = name === 'memory' ? '' : `${name} `;
    return [
      createSegment(label, 'dim'),
      ...renderBar(share, 6),
      createSegment(` ${formatPercent(share)}`),
      createSegment(` of ${formatInteger(max)}${name === 'memory' ? ' tokens' : ''}${entries}`, 'dim'),
    ];
  });
  const rest: StyledLine = [
    createSegment(memory === null ? 'no working memory in this profile' : formatWindowShare(session), 'dim'),
  ];
  return [
    createSegment(' memory   ', 'dim'),
    ...joinPieces([...pieces, ...(rest[0]?.text === '' ? [] : [rest])], columns - 11),
  ];
}

/** Renders memory usage with one row per item. */
export function renderMemoryColumn({ session }: ScreenModel, columns: number): readonly StyledLine[] {
  const rows = computeCapacityUsage(session).map(({ name, used, max, share }): StyledLine => [
    ...padLine([createSegment(` ${name === 'memory' ? 'held' : name}`, 'dim')], 13),
    ...renderBar(share, 8),
    createSegment(` ${formatInteger(used)}/${formatInteger(max)}`),
  ]);
  const { memory } = session;
  const entries: readonly StyledLine[] =
    memory === null
      ? [[createSegment(' none in this profile', 'dim')]]
      : [
          [
            createSegment(
              ` ${[formatItemCount(memory.entries.size, 'entry'), formatWindowShare(session)].filter((text) => text !== '').join(', ')}`,
              'dim',
            ),
          ],
        ];
  return [...rows, ...entries].map((line) => truncateLine(line, columns));
}

/** Renders the session's usage so far on one row. */
export function renderUsageStrip(model: ScreenModel, columns: number): StyledLine {
  return [createSegment(' used     ', 'dim'), ...joinPieces(renderUsagePieces(model), columns - 11)];
}

export function renderUsageColumn(model: ScreenModel, columns: number): readonly StyledLine[] {
  return renderUsagePieces(model).map((piece) => truncateLine([createSegment(' '), ...piece], columns));
}

function renderUsagePieces({ usage }: ScreenModel): readonly StyledLine[] {
  const { modelCalls, toolCalls, inputTokens, outputTokens, cost } = usage;
  return [
    [createSegment(`${formatInteger(inputTokens)} tokens in, ${formatInteger(outputTokens)} out`)],
    ...(cost > 0 ? [[createSegment(`cost ${formatMoney(cost)}`)]] : []),
    [
      createSegment(
        `${formatItemCount(modelCalls, 'model call')}, ${formatItemCount(toolCalls, 'tool call')}`,
        'dim',
      ),
    ],
  ];
}

function formatItemCount(count: number, singular: string): string {
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  return `${formatInteger(count)} ${count === 1 ? singular : plural}`;
}

/** Formats the share of the context window that working memory takes. */
function formatWindowShare({ memory, settings: { windowTokens } }: Session): string {
  if (memory === null || windowTokens === null || windowTokens <= 0) return '';
  return `${formatPercent(countMemoryTokens(memory) / windowTokens)} of the window`;
}

type CapacityUsage = {
  readonly name: string;
  readonly used: number;
  readonly max: number;
  readonly share: number;
};

function computeCapacityUsage({ memory, window, settings }: Session): readonly CapacityUsage[] {
  const memoryUsage: readonly CapacityUsage[] =
    memory === null
      ? []
      : [toCapacityUsage('memory', countMemoryTokens(memory), getMemoryLimit(memory.settings))];
  const { windowTokens } = settings;
  return window === null || windowTokens === null
    ? memoryUsage
    : [...memoryUsage, toCapacityUsage('window', window.tokens, windowTokens)];
}

/** The paging limit triggers paging; if it is disabled, the hard limit applies. */

function toCapacityUsage(name: string, used: number, max: number): CapacityUsage {
  return { name, used, max, share: max > 0 ? used / max : 1 };
}
