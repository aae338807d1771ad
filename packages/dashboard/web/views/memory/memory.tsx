import { useEffect, useState } from 'react';
import type { StoredMemory } from '../../app/api-types.ts';
import {
  formatAmount,
  formatLocalClock,
  formatCount,
  formatDayTime,
  formatMeterPercent,
  getShareSeverity,
} from '../../app/format.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { showToast, showErrorToast } from '../../app/widgets/toasts.tsx';
import type { SessionViewProps } from '../../app/view-props.ts';
import { LongText } from '../../app/widgets/long-text.tsx';
import { EmptyState, ErrorMessage } from '../../app/widgets/state-messages.tsx';
import { SvgIcon } from '../../app/widgets/svg-icon.tsx';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';

import { toReadableJson } from '../why/why-model.ts';
import {
  buildMemoryViewModel,
  listEarlierPagings,
  type UsageGauge,
  type MemoryEntryView,
  type MemoryViewModel,
} from './memory-model.ts';
import './memory.css';
import { layOutTreemap } from './treemap.ts';

/** Shows working memory, the paging history and storage. */
export function MemoryView(props: SessionViewProps) {
  const { timeline, at } = props;
  const shown = buildMemoryViewModel(timeline.stateAt(at));
  return (
    <section className="mem-view" aria-label="Memory">
      <MemoryGauges shown={shown} />
      {shown.workingMemory === null ? (
        <EmptyState title="This profile has no working memory">
          <p>The model only has its conversation. Profiles such as pawl and lkj have working memory.</p>
        </EmptyState>
      ) : (
        <WorkingMemoryPanel workingMemory={shown.workingMemory} {...props} />
      )}
      <div className="mem-columns">
        <PagingList {...props} />
        <StorageSearchPanel {...props} />
      </div>
    </section>
  );
}

function MemoryGauges({ shown: { workingMemory, window } }: { readonly shown: MemoryViewModel }) {
  if (workingMemory === null && window === null) return null;
  return (
    <div className="mem-gauges">
      {workingMemory !== null && (
        <MemoryGauge name="working memory" gauge={workingMemory.gauge} limitShare={null}>
          paging starts at {formatAmount(workingMemory.gauge.max)} tokens
          {workingMemory.hardLimit !== null && `, hard limit ${formatAmount(workingMemory.hardLimit)}`}
          {workingMemory.windowShare !== null &&
            `; ${formatMeterPercent(workingMemory.windowShare)} of the context window`}
        </MemoryGauge>
      )}
      {window !== null && (
        <MemoryGauge name="context window" gauge={window} limitShare={window.fullAt / window.max}>
          compaction starts at {formatAmount(window.fullAt)} tokens, to leave space for the reply
        </MemoryGauge>
      )}
    </div>
  );
}

type MemoryGaugeProps = {
  readonly name: string;
  readonly gauge: UsageGauge;
  /** Position of a limit on the gauge, from 0 to 1. */
  readonly limitShare: number | null;
  readonly children: React.ReactNode;
};

function MemoryGauge({ name, gauge: { used, max, share }, limitShare, children }: MemoryGaugeProps) {
  return (
    <div className="mem-gauge">
      <p>
        <strong>{name}</strong>
        <span>
          {formatAmount(used)} of {formatAmount(max)} tokens, {formatMeterPercent(share)}
        </span>
      </p>
      <span
        className={`mem-bar ${getShareSeverity(share)}`}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(used, max)}
      >
        <span style={{ width: formatMeterPercent(Math.min(share, 1)).replace(' ', '') }} />
        {limitShare !== null && <i style={{ left: formatMeterPercent(limitShare).replace(' ', '') }} />}
      </span>
      <p className="mem-quiet">{children}</p>
    </div>
  );
}

type WorkingMemoryPanelProps = SessionViewProps & {
  readonly workingMemory: NonNullable<MemoryViewModel['workingMemory']>;
};

function WorkingMemoryPanel({ workingMemory, isFollowing, send, detail }: WorkingMemoryPanelProps) {
  const [form, setForm] = useState<'map' | 'list'>('map');
  const [selected, setSelected] = useState<string | null>(null);
  const { entries } = workingMemory;
  const entry = entries.find(({ key }) => key === selected) ?? null;
  if (entries.length === 0) {
    return (
      <EmptyState title="Working memory is empty">
        <p>Entries added with working_memory_add are shown here by size.</p>
      </EmptyState>
    );
  }
  return (
    <section className="mem-working" aria-label="Working memory">
      <div className="mem-head">
        <h2>Working memory</h2>
        <p className="mem-quiet">
          {formatCount(entries.length, 'entry', 'entries')}
          {workingMemory.pinned > 0 && `, ${workingMemory.pinned} pinned`}
        </p>
        <ToggleGroup label="Layout" options={['map', 'list']} selected={form} onSelect={setForm} />
      </div>
      <div className={entry === null ? 'mem-body' : 'mem-body with-entry'}>
        {form === 'map' ? (
          <MemoryMap entries={entries} selected={selected} select={setSelected} />
        ) : (
          <EntryList entries={entries} selected={selected} select={setSelected} />
        )}
        {entry !== null && (
          <EntryPanel
            entry={entry}
            close={() => setSelected(null)}
            send={isFollowing ? send : null}
            disabledReason={getDisabledReason(isFollowing, send, detail)}
          />
        )}
      </div>
    </section>
  );
}

function getDisabledReason(
  isFollowing: boolean,
  send: SessionViewProps['send'],
  detail: SessionViewProps['detail'],
): string {
  if (detail.kind === 'imported') return 'Imported runs are read-only.';
  if (send === null) return detail.why ?? 'This session accepts no commands.';
  return isFollowing ? '' : 'An earlier event is selected. Go to the latest event to change entries.';
}

type EntryListProps = {
  readonly entries: readonly MemoryEntryView[];
  readonly selected: string | null;
  readonly select: (key: string) => void;
};

function EntryList({ entries, selected, select }: EntryListProps) {
  return (
    <div className="mem-table framed">
      <table className="listing">
        <thead>
          <tr>
            <th scope="col">key</th>
            <th scope="col">kind</th>
            <th scope="col" className="number">
              tokens
            </th>
            <th scope="col" className="number">
              share
            </th>
            <th scope="col">touched</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ key, kind, tokens, share, isPinned, touchedAt }) => (
            <tr key={key} aria-selected={key === selected}>
              <th scope="row">
                <button type="button" className="link" onClick={() => select(key)}>
                  {toSafeLine(key, 80)}
                </button>
                {isPinned && <span className="mem-pin">pinned</span>}
              </th>
              <td>{kind}</td>
              <td className="number">{formatAmount(tokens)}</td>
              <td className="number">{formatMeterPercent(share)}</td>
              <td>{formatLocalClock(touchedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type EntryPanelProps = {
  readonly entry: MemoryEntryView;
  readonly close: () => void;
  readonly send: SessionViewProps['send'];
  /** Why no command can be sent, if so. */
  readonly disabledReason: string;
};

function EntryPanel({ entry, close, send, disabledReason }: EntryPanelProps) {
  const { key, value, kind, isPinned, tokens, bytes, share, addedAt, touchedAt } = entry;
  const sendAction = (action: 'pin' | 'unpin' | 'evict', confirmation: string): void => {
    send?.({ kind: 'memory', action, key }).then(() => showToast(confirmation), showErrorToast);
  };
  return (
    <aside className="mem-entry tone-memory" aria-label={`Entry ${toSafeLine(key, 60)}`}>
      <header>
        <h3>{toSafeLine(key, 120)}</h3>
        <button type="button" className="icon" aria-label="Close" onClick={close}>
          <SvgIcon name="close" />
        </button>
      </header>
      <p className="mem-quiet">
        {kind}
        {isPinned && ', pinned'} · {formatAmount(tokens)} tokens ({bytes.toLocaleString('en')} bytes),{' '}
        {formatMeterPercent(share)} of all · added {formatLocalClock(addedAt)}, touched{' '}
        {formatLocalClock(touchedAt)}
      </p>
      <div className="mem-buttons">
        <button
          type="button"
          className="small"
          disabled={send === null || kind !== 'entry'}
          onClick={() => sendAction(isPinned ? 'unpin' : 'pin', isPinned ? 'Unpinned.' : 'Pinned.')}
        >
          {isPinned ? 'Unpin' : 'Pin'}
        </button>
        <button
          type="button"
          className="small"
          disabled={send === null || kind === 'stub' || isPinned}
          onClick={() => sendAction('evict', 'Moving to storage.')}
        >
          Move to storage
        </button>
        <span className="mem-quiet">
          {send === null ? disabledReason : isPinned ? 'Unpin the entry to move it.' : ''}
        </span>
      </div>
      <LongText text={toReadableJson(value)} mono lines={24} />
    </aside>
  );
}

const shownPagingsMax = 100;

/** Lists all paging operations, with the moved entries and the reason. */
function PagingList({ timeline, at, navigate }: SessionViewProps) {
  const pagings = listEarlierPagings(timeline, at);
  return (
    <section className="mem-paged" aria-label="Paged out">
      <h2>Paged out</h2>
      {pagings.length === 0 && <p className="mem-quiet">Nothing so far.</p>}
      <ol>
        {pagings.slice(0, shownPagingsMax).map(({ seq, at: pagedAt, moved, freedTokens, reason }) => (
          <li key={seq}>
            <p>
              <button type="button" className="link" onClick={() => navigate({ seq })}>
                event {seq}
              </button>
              , {formatLocalClock(pagedAt)}: {formatAmount(freedTokens)} tokens freed
              {reason !== null && <span className="mem-quiet"> · reason: {toSafeLine(reason, 160)}</span>}
            </p>
            {moved.length === 0 ? (
              <p className="mem-quiet">the conversation was compacted</p>
            ) : (
              <ul>
                {moved.map(({ key, tokens, reason: selection }) => (
                  <li key={key}>
                    <code>{toSafeLine(key, 60)}</code>{' '}
                    <span className="mem-quiet">
                      {formatAmount(tokens)} tokens, {selection}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
      {pagings.length > shownPagingsMax && (
        <p className="mem-quiet">{pagings.length - shownPagingsMax} earlier ones</p>
      )}
    </section>
  );
}

/** Searches storage. It always shows the current content, whichever event is selected. */
function StorageSearchPanel({ api, detail }: SessionViewProps) {
  const [query, setQuery] = useState('');
  const [results, setResults] = useState<StoredMemory | null>(null);
  const [error, setError] = useState<unknown>(null);
  const id = detail.kind === 'stored' ? detail.id : null;
  useEffect(() => {
    if (id === null) return;
    const aborting = new AbortController();
    const timer = setTimeout(() => {
      api.memory(id, { q: query, limit: 50 }, aborting.signal).then(
        (memory) => {
          setResults(memory);
          setError(null);
        },
        (reason: unknown) => {
          if (!aborting.signal.aborted) setError(reason);
        },
      );
    }, 200);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [api, id, query]);
  return (
    <section className="mem-shelf" aria-label="Storage">
      <h2>Storage</h2>
      {id === null ? (
        <p className="mem-quiet">Imported runs have no storage.</p>
      ) : (
        <>
          <input
            type="search"
            data-search
            value={query}
            placeholder="Search storage"
            aria-label="Search storage"
            onChange={(event) => setQuery(event.target.value)}
          />
          {error !== null && <ErrorMessage error={error} />}
          {results !== null && results.entries.length === 0 && (
            <p className="mem-quiet">{query === '' ? 'Storage is empty.' : 'No matching entries.'}</p>
          )}
          <ul>
            {results?.entries.map(({ key, value, size, at }) => (
              <li key={key}>
                <details>
                  <summary>
                    <code>{toSafeLine(key, 70)}</code>
                    <span className="mem-quiet">
                      {formatCount(size, 'character')}, {formatDayTime(at)}
                    </span>
                  </summary>
                  <LongText text={toReadableJson(value)} mono lines={16} />
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

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
