import { formatAmount } from '../../app/format.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { formatMeterPercent } from '../governor/governor-model.ts';
import type { MemoryEntryView } from './memory-model.ts';
import { layOutTreemap } from './treemap.ts';

type MemoryMapProps = {
  readonly entries: readonly MemoryEntryView[];
  readonly selected: string | null;
  readonly select: (key: string) => void;
};

/** Reference size of the layout; boxes stay roughly square at other aspect ratios. */
const treemapSize = { width: 900, height: 320 };

/** Treemap of the entries, sized by their share of working memory. */
export function MemoryMap({ entries, selected, select }: MemoryMapProps) {
  const boxes = layOutTreemap(
    entries.map(({ bytes }) => bytes),
    treemapSize,
  );
  return (
    <div className="mem-map" role="group" aria-label="Entries by size, the largest first">
      {entries.map(({ key, kind, tokens, share, isPinned }, index) => {
        const box = boxes[index];
        if (box === undefined) return null;
        return (
          <button
            key={key}
            type="button"
            className={`mem-box ${kind}${isPinned ? ' pinned' : ''}${box.width < 36 || box.height < 24 ? ' tiny' : ''}`}
            aria-pressed={key === selected}
            title={`${toSafeLine(key, 80)}\n${formatAmount(tokens)} tokens, ${formatMeterPercent(share)}`}
            style={{
              left: `${(box.x / treemapSize.width) * 100}%`,
              top: `${(box.y / treemapSize.height) * 100}%`,
              width: `${(box.width / treemapSize.width) * 100}%`,
              height: `${(box.height / treemapSize.height) * 100}%`,
            }}
            onClick={() => select(key)}
          >
            <span className="mem-box-inside">
              <span className={box.width > 44 && box.height > 20 ? 'key' : 'visually-hidden'}>
                {toSafeLine(key, 60)}
              </span>
              <span className={box.width > 60 && box.height > 40 ? 'size' : 'visually-hidden'}>
                {formatAmount(tokens)} · {formatMeterPercent(share)}
              </span>
              {isPinned && <span className="pin" aria-hidden="true" />}
              {isPinned && <span className="visually-hidden">pinned</span>}
            </span>
          </button>
        );
      })}
    </div>
  );
}
