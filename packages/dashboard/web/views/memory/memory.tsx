import { useEffect, useState } from 'react';
import { formatAmount, formatLocalClock, formatCount, formatDayTime } from '../../app/format.ts';
import { showToast, showErrorToast } from '../../app/toasts.tsx';
import type { SessionViewProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import type { StoredMemory } from '../../app/api-types.ts';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { SvgIcon } from '../../app/widgets/svg-icon.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import { EmptyState, ErrorMessage } from '../../app/widgets/state-messages.tsx';
import { getShareSeverity, formatMeterPercent } from '../governor/governor-model.ts';
import { toReadableJson } from '../why/why-model.ts';
import { MemoryMap } from './memory-map.tsx';
import {
  buildMemoryViewModel,
  listEarlierPagings,
  type UsageGauge,
  type MemoryEntryView,
  type MemoryViewModel,
} from './memory-model.ts';
import './memory.css';

/** Shows working memory, the paging history and storage. */
export function MemoryView(props: SessionViewProps) {
  const { track, at } = props;
  const shown = buildMemoryViewModel(track.at(at));
  return (
    <section className="mem-view" aria-label="Memory">
      <MemoryGauges shown={shown} />
      {shown.held === null ? (
        <EmptyState title="This profile has no working memory">
          <p>What the model knows is its conversation. Profiles such as pawl and lkj have one.</p>
        </EmptyState>
      ) : (
        <WorkingMemoryPanel held={shown.held} {...props} />
      )}
      <div className="mem-columns">
        <PagingList {...props} />
        <StorageSearchPanel {...props} />
      </div>
    </section>
  );
}

function MemoryGauges({ shown: { held, window } }: { readonly shown: MemoryViewModel }) {
  if (held === null && window === null) return null;
  return (
    <div className="mem-gauges">
      {held !== null && (
        <MemoryGauge name="working memory" gauge={held.gauge} mark={null}>
          room is made from {formatAmount(held.gauge.max)} tokens on
          {held.hardLimit !== null && `, nothing is added beyond ${formatAmount(held.hardLimit)}`}
          {held.ofWindow !== null && `; ${formatMeterPercent(held.ofWindow)} of the model's window`}
        </MemoryGauge>
      )}
      {window !== null && (
        <MemoryGauge name="the model's window" gauge={window} mark={window.fullAt / window.max}>
          room is made before it holds {formatAmount(window.fullAt)} tokens: the reply needs some too
        </MemoryGauge>
      )}
    </div>
  );
}

type MemoryGaugeProps = {
  readonly name: string;
  readonly gauge: UsageGauge;
  /** Position of a limit on the gauge, from 0 to 1. */
  readonly mark: number | null;
  readonly children: React.ReactNode;
};

function MemoryGauge({ name, gauge: { used, max, share }, mark, children }: MemoryGaugeProps) {
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
        {mark !== null && <i style={{ left: formatMeterPercent(mark).replace(' ', '') }} />}
      </span>
      <p className="mem-quiet">{children}</p>
    </div>
  );
}

type WorkingMemoryPanelProps = SessionViewProps & { readonly held: NonNullable<MemoryViewModel['held']> };

function WorkingMemoryPanel({ held, isFollowing, send, detail }: WorkingMemoryPanelProps) {
  const [form, setForm] = useState<'map' | 'list'>('map');
  const [picked, setPicked] = useState<string | null>(null);
  const { entries } = held;
  const entry = entries.find(({ key }) => key === picked) ?? null;
  if (entries.length === 0) {
    return (
      <EmptyState title="Working memory is empty">
        <p>What the agent puts there with working_memory_add shows here, by size.</p>
      </EmptyState>
    );
  }
  return (
    <section className="mem-working" aria-label="Working memory">
      <div className="mem-head">
        <h2>Working memory</h2>
        <p className="mem-quiet">
          {formatCount(entries.length, 'entry', 'entries')}
          {held.pinned > 0 && `, ${held.pinned} pinned`}
        </p>
        <ToggleGroup label="How it is shown" of={['map', 'list']} chosen={form} choose={setForm} />
      </div>
      <div className={entry === null ? 'mem-body' : 'mem-body with-entry'}>
        {form === 'map' ? (
          <MemoryMap entries={entries} picked={picked} pick={setPicked} />
        ) : (
          <EntryList entries={entries} picked={picked} pick={setPicked} />
        )}
        {entry !== null && (
          <EntryPanel
            entry={entry}
            close={() => setPicked(null)}
            send={isFollowing ? send : null}
            why={getDisabledReason(isFollowing, send, detail)}
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
  if (detail.kind === 'imported') return 'An imported run can only be looked at.';
  if (send === null) return detail.why ?? 'Nothing can be asked of this session.';
  return isFollowing ? '' : 'This is the past: follow the present to change something.';
}

type EntryListProps = {
  readonly entries: readonly MemoryEntryView[];
  readonly picked: string | null;
  readonly pick: (key: string) => void;
};

function EntryList({ entries, picked, pick }: EntryListProps) {
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
            <tr key={key} aria-selected={key === picked}>
              <th scope="row">
                <button type="button" className="link" onClick={() => pick(key)}>
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
  readonly why: string;
};

function EntryPanel({ entry, close, send, why }: EntryPanelProps) {
  const { key, value, kind, isPinned, tokens, bytes, share, addedAt, touchedAt } = entry;
  const ask = (action: 'pin' | 'unpin' | 'evict', done: string): void => {
    send?.({ kind: 'memory', action, key }).then(() => showToast(done), showErrorToast);
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
          onClick={() => ask(isPinned ? 'unpin' : 'pin', isPinned ? 'It may make room again.' : 'It stays.')}
        >
          {isPinned ? 'Unpin' : 'Pin'}
        </button>
        <button
          type="button"
          className="small"
          disabled={send === null || kind === 'stub' || isPinned}
          onClick={() => ask('evict', 'It goes to storage.')}
        >
          Move to storage
        </button>
        <span className="mem-quiet">
          {send === null ? why : isPinned ? 'What is pinned stays until it is unpinned.' : ''}
        </span>
      </div>
      <LongText text={toReadableJson(value)} mono lines={24} />
    </aside>
  );
}

const shownPagingsMax = 100;

/** Lists all paging operations, with the moved entries and the reason. */
function PagingList({ track, at, go }: SessionViewProps) {
  const pagings = listEarlierPagings(track, at);
  return (
    <section className="mem-paged" aria-label="Paged out">
      <h2>Paged out</h2>
      {pagings.length === 0 && <p className="mem-quiet">Nothing so far: there was room enough.</p>}
      <ol>
        {pagings.slice(0, shownPagingsMax).map(({ seq, at: when, moved, freedTokens, reason }) => (
          <li key={seq}>
            <p>
              <button type="button" className="link" onClick={() => go({ seq })}>
                event {seq}
              </button>
              , {formatLocalClock(when)}: {formatAmount(freedTokens)} tokens freed
              {reason !== null && <span className="mem-quiet"> because {toSafeLine(reason, 160)}</span>}
            </p>
            {moved.length === 0 ? (
              <p className="mem-quiet">the conversation became shorter</p>
            ) : (
              <ul>
                {moved.map(({ key, tokens, why }) => (
                  <li key={key}>
                    <code>{toSafeLine(key, 60)}</code>{' '}
                    <span className="mem-quiet">
                      {formatAmount(tokens)} tokens, {why}
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
  const [words, setWords] = useState('');
  const [found, setFound] = useState<StoredMemory | null>(null);
  const [error, setError] = useState<unknown>(null);
  const id = detail.kind === 'kept' ? detail.id : null;
  useEffect(() => {
    if (id === null) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.memory(id, { q: words, limit: 50 }, stop.signal).then(
        (shelf) => {
          setFound(shelf);
          setError(null);
        },
        (reason: unknown) => {
          if (!stop.signal.aborted) setError(reason);
        },
      );
    }, 200);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [api, id, words]);
  return (
    <section className="mem-shelf" aria-label="Shelf">
      <h2>Shelf</h2>
      {id === null ? (
        <p className="mem-quiet">An imported run brings no storage with it.</p>
      ) : (
        <>
          <input
            type="search"
            data-search
            value={words}
            placeholder="Search what is in storage"
            aria-label="Search what is in storage"
            onChange={(event) => setWords(event.target.value)}
          />
          {error !== null && <ErrorMessage error={error} />}
          {found !== null && found.entries.length === 0 && (
            <p className="mem-quiet">{words === '' ? 'Storage is empty.' : 'Nothing fits these words.'}</p>
          )}
          <ul>
            {found?.entries.map(({ key, value, size, at }) => (
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
