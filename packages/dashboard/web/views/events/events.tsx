import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { formatLocalClock, formatCount } from '../../app/format.ts';
import type { ReplayedEntry } from '../../app/replayed-timeline.ts';
import { getStatusLabel, getEventTone, getStatusTone } from '../../app/tones.ts';
import { useKeys } from '../../app/use-keys.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { EmptyState } from '../../app/widgets/state-messages.tsx';
import { EventDetail } from './event-detail.tsx';
import {
  EventList,
  eventGroups,
  summarizeEvent,
  allEventsFilter,
  isFailedEntry,
  type EventFilter,
} from './events-model.ts';
import './events.css';

const eventRowHeight = 30;

/** Lists all events, with the actions and state changes of each. */
export function EventsView(props: SessionViewProps) {
  const { timeline, version, at, navigate } = props;
  const [filter, setFilter] = useState<EventFilter>(allEventsFilter);
  const deferredFilter = useDeferredValue(filter);
  const list = useMemo(() => new EventList(timeline, deferredFilter), [timeline, deferredFilter]);
  const count = useMemo(() => list.update().indices.length, [list, version]);
  const selectedRow = list.rowAt(at);
  const isExact = selectedRow !== -1 && getRowSeq(list, selectedRow, timeline.first) === at;
  const move = (offset: number): void => {
    const row = Math.max(0, Math.min(count - 1, selectedRow + (offset < 0 && !isExact ? 0 : offset)));
    if (count === 0) return;
    const seq = getRowSeq(list, row, timeline.first);
    navigate({ seq: seq === timeline.head ? 'now' : seq });
  };
  useKeys('Events', [
    { keys: 'j', description: 'Next listed event', run: () => move(1) },
    { keys: 'k', description: 'Previous listed event', run: () => move(-1) },
  ]);
  return (
    <div className="events">
      <div className="events-left">
        <EventFilterBar filter={filter} onChange={setFilter} count={count} total={timeline.length} />
        {count === 0 && (
          <EmptyState title={timeline.length === 0 ? 'No events yet' : 'No matching events'}>
            {timeline.length > 0 && (
              <button type="button" onClick={() => setFilter(allEventsFilter)}>
                Show all events
              </button>
            )}
          </EmptyState>
        )}
        <EventRows
          {...props}
          list={list}
          count={count}
          selectedRow={selectedRow}
          isExact={isExact}
          move={move}
        />
      </div>
      <EventDetail {...props} />
    </div>
  );
}

type EventRowsProps = SessionViewProps & {
  readonly list: EventList;
  readonly count: number;
  /** Row of the selected event, or of the last listed event before it. */
  readonly selectedRow: number;
  readonly isExact: boolean;
  readonly move: (offset: number) => void;
};

function EventRows({
  timeline,
  at,
  isFollowing,
  navigate,
  list,
  count,
  selectedRow,
  isExact,
  move,
}: EventRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => eventRowHeight,
    overscan: 12,
  });
  useEffect(() => {
    if (selectedRow >= 0) rows.scrollToIndex(selectedRow, { align: isFollowing ? 'end' : 'auto' });
  }, [rows, selectedRow, isFollowing]);
  return (
    <div
      className="event-rows"
      ref={scroller}
      tabIndex={0}
      role="listbox"
      aria-label="Events"
      aria-activedescendant={isExact ? `event-${at}` : undefined}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown') move(1);
        else if (event.key === 'ArrowUp') move(-1);
        else return;
        event.preventDefault();
      }}
    >
      <div className="virtual" style={{ height: rows.getTotalSize() }} role="presentation">
        {rows.getVirtualItems().map(({ index, start }) => (
          <EventListRow
            key={index}
            entry={timeline.entry(list.indices[index] ?? 0)}
            start={start}
            isSelected={isExact && index === selectedRow}
            isLater={(list.indices[index] ?? 0) + timeline.first > at}
            select={(seq) => navigate({ seq: seq === timeline.head ? 'now' : seq })}
          />
        ))}
      </div>
    </div>
  );
}

function getRowSeq(list: EventList, row: number, first: number): number {
  return (list.indices[row] ?? 0) + first;
}

type EventFilterBarProps = {
  readonly filter: EventFilter;
  readonly onChange: (filter: EventFilter) => void;
  readonly count: number;
  readonly total: number;
};

function EventFilterBar({ filter, onChange: change, count, total }: EventFilterBarProps) {
  return (
    <div className="bar">
      <input
        type="search"
        data-search
        aria-label="Search events"
        placeholder="Search (/)"
        value={filter.text}
        onChange={(event) => change({ ...filter, text: event.target.value })}
      />
      <ToggleGroup
        label="Event group"
        options={eventGroups}
        selected={filter.group}
        onSelect={(group) => change({ ...filter, group })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={filter.isFailedOnly}
          onChange={(event) => change({ ...filter, isFailedOnly: event.target.checked })}
        />
        failed only
      </label>
      <span className="faint" role="status">
        {count === total
          ? formatCount(total, 'event')
          : `${count.toLocaleString('en')} of ${formatCount(total, 'event')}`}
      </span>
    </div>
  );
}

type EventListRowProps = {
  readonly entry: ReplayedEntry;
  readonly start: number;
  readonly isSelected: boolean;
  readonly isLater: boolean;
  readonly select: (seq: number) => void;
};

function EventListRow({ entry, start, isSelected, isLater, select }: EventListRowProps) {
  const { seq, event, status, notes } = entry;
  const verdict = notes.find((note) => note.type === 'verdict');
  const hasTransition = notes.some((note) => note.type === 'transition');
  const classes = [
    'event-row',
    isSelected ? 'chosen' : '',
    isLater ? 'later' : '',
    isFailedEntry(entry) ? 'failed' : '',
  ];
  return (
    <div
      id={`event-${seq}`}
      role="option"
      aria-selected={isSelected}
      className={classes.filter((name) => name !== '').join(' ')}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => select(seq)}
    >
      <span className="event-seq">{seq}</span>
      <span className="event-time">{formatLocalClock(event.at)}</span>
      <span className={`event-type tone-${getEventTone(event.type)}`}>{event.type}</span>
      <span className="event-summary">{summarizeEvent(event)}</span>
      {verdict !== undefined && <span className="event-verdict tone-governor">{verdict.verdict.rule}</span>}
      {hasTransition && (
        <span className={`event-status tone-${getStatusTone(status)}`}>{getStatusLabel(status)}</span>
      )}
    </div>
  );
}
