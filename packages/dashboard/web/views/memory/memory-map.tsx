import { amount } from '../../app/format.ts';
import { visibleLine } from '../../app/visible.ts';
import { percent } from '../governor/governor-model.ts';
import type { Held } from './memory-model.ts';
import { treemap } from './treemap.ts';

type MemoryMapProps = {
  readonly entries: readonly Held[];
  readonly picked: string | null;
  readonly pick: (key: string) => void;
};

/** The shape that boxes are laid out in; in a room of another shape they are still about square. */
const room = { width: 900, height: 320 };

/** Each entry as a box as large as its share. */
export function MemoryMap({ entries, picked, pick }: MemoryMapProps) {
  const boxes = treemap(
    entries.map(({ bytes }) => bytes),
    room,
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
            aria-pressed={key === picked}
            title={`${visibleLine(key, 80)}\n${amount(tokens)} tokens, ${percent(share)}`}
            style={{
              left: `${(box.x / room.width) * 100}%`,
              top: `${(box.y / room.height) * 100}%`,
              width: `${(box.width / room.width) * 100}%`,
              height: `${(box.height / room.height) * 100}%`,
            }}
            onClick={() => pick(key)}
          >
            <span className="mem-box-inside">
              <span className={box.width > 44 && box.height > 20 ? 'key' : 'visually-hidden'}>
                {visibleLine(key, 60)}
              </span>
              <span className={box.width > 60 && box.height > 40 ? 'size' : 'visually-hidden'}>
                {amount(tokens)} · {percent(share)}
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
