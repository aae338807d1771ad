import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { Event } from '@pawl/core';
import { getEventTone } from '../../app/tones.ts';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { getEventAlignment, type RunDivergence } from './compare-model.ts';

type AlignedEventsProps = {
  readonly a: ReplayedTimeline;
  readonly b: ReplayedTimeline;
  readonly divergence: RunDivergence;
  /** The selected pair. */
  readonly index: number;
  readonly goTo: (index: number) => void;
};

/** Shows the events of both runs, one pair per row; only visible rows are rendered. */
export function AlignedEvents({ a, b, divergence, index, goTo }: AlignedEventsProps) {
  const box = useRef<HTMLDivElement>(null);
  const count = Math.max(a.length, b.length);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => 30,
    overscan: 12,
  });
  useEffect(() => virtual.scrollToIndex(index, { align: 'auto' }), [index, virtual]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    goTo(Math.min(Math.max(index + by, 0), count - 1));
  };
  return (
    <div
      ref={box}
      className="compare-list"
      tabIndex={0}
      role="group"
      aria-label="Events side by side. Arrow keys select the previous or next pair."
      onKeyDown={onKeyDown}
    >
      <div className="compare-rows" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const alignment = getEventAlignment(divergence, item.index);
          return (
            <button
              key={item.index}
              type="button"
              tabIndex={-1}
              className={`compare-row ${alignment}`}
              aria-current={item.index === index}
              style={{ transform: `translateY(${item.start}px)` }}
              onClick={() => goTo(item.index)}
            >
              <span className="compare-number">{item.index + 1}</span>
              <ComparedEvent timeline={a} index={item.index} />
              <span className="compare-mark" aria-label={alignment === 'same' ? 'same' : 'different'}>
                {alignment === 'same' ? '=' : '≠'}
              </span>
              <ComparedEvent timeline={b} index={item.index} />
            </button>
          );
        })}
      </div>
    </div>
  );
}

function ComparedEvent({ timeline, index }: { readonly timeline: ReplayedTimeline; readonly index: number }) {
  if (index >= timeline.length) return <span className="compare-none">(end of run)</span>;
  const { event } = timeline.entry(index);
  return (
    <span className={`compare-event tone-${getEventTone(event.type)}`}>
      <strong>{event.type}</strong> {summarizeEventFields(event)}
    </span>
  );
}

/** Summarizes the fields of an event other than its type and time in one line. */
function summarizeEventFields(event: Event): string {
  const { type: _, at: __, ...rest } = event;
  if ('text' in rest && rest.text !== '') return toSafeLine(rest.text, 160);
  if (event.type === 'model-replied')
    return toSafeLine(event.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join(', '), 160);
  const text = JSON.stringify(rest);
  return text === '{}' ? '' : toSafeLine(text, 160);
}
