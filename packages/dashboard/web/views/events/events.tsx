import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { clockTime, counted } from '../../app/format.ts';
import type { Entry } from '../../app/track.ts';
import { statusWords, toneOfEvent, toneOfStatus } from '../../app/tones.ts';
import { useKeys } from '../../app/use-keys.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { Either } from '../../app/widgets/either.tsx';
import { Empty } from '../../app/widgets/notes.tsx';
import { EventDetail } from './event-detail.tsx';
import {
  EventList,
  eventGroups,
  eventSummary,
  everything,
  isFailure,
  type EventFilter,
} from './events-model.ts';
import './events.css';

const rowHeight = 30;

/** Every event that went in, with what came out and what it changed. */
export function EventsView(props: SessionViewProps) {
  const { track, version, at, go } = props;
  const [filter, setFilter] = useState<EventFilter>(everything);
  const wanted = useDeferredValue(filter);
  const list = useMemo(() => new EventList(track, wanted), [track, wanted]);
  const count = useMemo(() => list.readOn().places.length, [list, version]);
  const chosen = list.rowAt(at);
  const isExact = chosen !== -1 && seqOf(list, chosen, track.first) === at;
  const move = (by: number): void => {
    const row = Math.max(0, Math.min(count - 1, chosen + (by < 0 && !isExact ? 0 : by)));
    if (count === 0) return;
    const seq = seqOf(list, row, track.first);
    go({ seq: seq === track.head ? 'now' : seq });
  };
  useKeys('Events', [
    { keys: 'j', does: 'Next event in the list', run: () => move(1) },
    { keys: 'k', does: 'Event before it', run: () => move(-1) },
  ]);
  return (
    <div className="events">
      <div className="events-left">
        <FilterBar filter={filter} change={setFilter} count={count} of={track.length} />
        {count === 0 && (
          <Empty title={track.length === 0 ? 'No events yet' : 'No event is like that'}>
            {track.length > 0 && (
              <button type="button" onClick={() => setFilter(everything)}>
                Show all of them
              </button>
            )}
          </Empty>
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
  /** The row of the event that is looked at, or of the last one before it that is listed. */
  readonly chosen: number;
  readonly isExact: boolean;
  readonly move: (by: number) => void;
};

function EventRows({ track, at, isFollowing, go, list, count, chosen, isExact, move }: EventRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
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
          <EventRow
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

function seqOf(list: EventList, row: number, first: number): number {
  return (list.places[row] ?? 0) + first;
}

type FilterBarProps = {
  readonly filter: EventFilter;
  readonly change: (filter: EventFilter) => void;
  readonly count: number;
  readonly of: number;
};

function FilterBar({ filter, change, count, of }: FilterBarProps) {
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
      <Either
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
        {count === of ? counted(of, 'event') : `${count.toLocaleString('en')} of ${counted(of, 'event')}`}
      </span>
    </div>
  );
}

type EventRowProps = {
  readonly entry: Entry;
  readonly start: number;
  readonly isChosen: boolean;
  readonly isLater: boolean;
  readonly choose: (seq: number) => void;
};

function EventRow({ entry, start, isChosen, isLater, choose }: EventRowProps) {
  const { seq, event, status, notes } = entry;
  const verdict = notes.find((note) => note.type === 'verdict');
  const moved = notes.some((note) => note.type === 'transition');
  const names = [
    'event-row',
    isChosen ? 'chosen' : '',
    isLater ? 'later' : '',
    isFailure(entry) ? 'failed' : '',
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
      <span className="event-time">{clockTime(event.at)}</span>
      <span className={`event-type tone-${toneOfEvent(event.type)}`}>{event.type}</span>
      <span className="event-summary">{eventSummary(event)}</span>
      {verdict !== undefined && <span className="event-verdict tone-governor">{verdict.verdict.rule}</span>}
      {moved && <span className={`event-status tone-${toneOfStatus(status)}`}>{statusWords(status)}</span>}
    </div>
  );
}
