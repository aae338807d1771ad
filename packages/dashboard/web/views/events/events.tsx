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
  const { track, version, at, go } = props;
  const [filter, setFilter] = useState<EventFilter>(allEventsFilter);
  const wanted = useDeferredValue(filter);
  const list = useMemo(() => new EventList(track, wanted), [track, wanted]);
  const count = useMemo(() => list.readOn().places.length, [list, version]);
  const chosen = list.rowAt(at);
  const isExact = chosen !== -1 && getRowSeq(list, chosen, track.first) === at;
  const move = (by: number): void => {
    const row = Math.max(0, Math.min(count - 1, chosen + (by < 0 && !isExact ? 0 : by)));
    if (count === 0) return;
    const seq = getRowSeq(list, row, track.first);
    go({ seq: seq === track.head ? 'now' : seq });
  };
  useKeys('Events', [
    { keys: 'j', does: 'Next event in the list', run: () => move(1) },
    { keys: 'k', does: 'Event before it', run: () => move(-1) },
  ]);
  return (
    <div className="events">
      <div className="events-left">
        <EventFilterBar filter={filter} change={setFilter} count={count} of={track.length} />
        {count === 0 && (
          <EmptyState title={track.length === 0 ? 'No events yet' : 'No event is like that'}>
            {track.length > 0 && (
              <button type="button" onClick={() => setFilter(allEventsFilter)}>
                Show all of them
              </button>
            )}
          </EmptyState>
        )}
        <EventRows {...props} list={list} count={count} chosen={chosen} isExact={isExact} move={move} />
      </div>
      <EventDetail {...props} />
    </div>
  );
}

type EventRowsProps = SessionViewProps & {
  readonly list: EventList;
  readonly count: number;
  /** Row of the selected event, or of the last listed event before it. */
  readonly chosen: number;
  readonly isExact: boolean;
  readonly move: (by: number) => void;
};

function EventRows({ track, at, isFollowing, go, list, count, chosen, isExact, move }: EventRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => eventRowHeight,
    overscan: 12,
  });
  useEffect(() => {
    if (chosen >= 0) rows.scrollToIndex(chosen, { align: isFollowing ? 'end' : 'auto' });
  }, [rows, chosen, isFollowing]);
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
            entry={track.entry(list.places[index] ?? 0)}
            start={start}
            isChosen={isExact && index === chosen}
            isLater={(list.places[index] ?? 0) + track.first > at}
            choose={(seq) => go({ seq: seq === track.head ? 'now' : seq })}
          />
        ))}
      </div>
    </div>
  );
}

function getRowSeq(list: EventList, row: number, first: number): number {
  return (list.places[row] ?? 0) + first;
}

type EventFilterBarProps = {
  readonly filter: EventFilter;
  readonly change: (filter: EventFilter) => void;
  readonly count: number;
  readonly of: number;
};

function EventFilterBar({ filter, change, count, of }: EventFilterBarProps) {
  return (
    <div className="bar">
      <input
        type="search"
        data-search
        aria-label="Words that an event must have"
        placeholder="Search (/)"
        value={filter.text}
        onChange={(event) => change({ ...filter, text: event.target.value })}
      />
      <ToggleGroup
        label="Kinds of events"
        of={eventGroups}
        chosen={filter.group}
        choose={(group) => change({ ...filter, group })}
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
        {count === of
          ? formatCount(of, 'event')
          : `${count.toLocaleString('en')} of ${formatCount(of, 'event')}`}
      </span>
    </div>
  );
}

type EventListRowProps = {
  readonly entry: ReplayedEntry;
  readonly start: number;
  readonly isChosen: boolean;
  readonly isLater: boolean;
  readonly choose: (seq: number) => void;
};

function EventListRow({ entry, start, isChosen, isLater, choose }: EventListRowProps) {
  const { seq, event, status, notes } = entry;
  const verdict = notes.find((note) => note.type === 'verdict');
  const moved = notes.some((note) => note.type === 'transition');
  const names = [
    'event-row',
    isChosen ? 'chosen' : '',
    isLater ? 'later' : '',
    isFailedEntry(entry) ? 'failed' : '',
  ];
  return (
    <div
      id={`event-${seq}`}
      role="option"
      aria-selected={isChosen}
      className={names.filter((name) => name !== '').join(' ')}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => choose(seq)}
    >
      <span className="event-seq">{seq}</span>
      <span className="event-time">{formatLocalClock(event.at)}</span>
      <span className={`event-type tone-${getEventTone(event.type)}`}>{event.type}</span>
      <span className="event-summary">{summarizeEvent(event)}</span>
      {verdict !== undefined && <span className="event-verdict tone-governor">{verdict.verdict.rule}</span>}
      {moved && (
        <span className={`event-status tone-${getStatusTone(status)}`}>{getStatusLabel(status)}</span>
      )}
    </div>
  );
}
