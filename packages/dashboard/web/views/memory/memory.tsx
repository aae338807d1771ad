import { useEffect, useState } from 'react';
import { amount, clockTime, counted, dayTime } from '../../app/format.ts';
import { toast, toastError } from '../../app/toasts.tsx';
import type { SessionViewProps } from '../../app/view-props.ts';
import { visibleLine } from '../../app/visible.ts';
import type { Shelf } from '../../app/api-types.ts';
import { Either } from '../../app/widgets/either.tsx';
import { Icon } from '../../app/widgets/icon.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import { Empty, Trouble } from '../../app/widgets/notes.tsx';
import { gravity, percent } from '../governor/governor-model.ts';
import { jsonText } from '../why/why-model.ts';
import { MemoryMap } from './memory-map.tsx';
import { memoryShown, pagingsUpTo, type Gauge, type Held, type MemoryShown } from './memory-model.ts';
import './memory.css';

/** What the agent holds in mind, what had to go, and what lies on the shelf. */
export function MemoryView(props: SessionViewProps) {
  const { track, at } = props;
  const shown = memoryShown(track.at(at));
  return (
    <section className="mem-view" aria-label="Memory">
      <Gauges shown={shown} />
      {shown.held === null ? (
        <Empty title="This profile has no working memory">
          <p>What the model knows is its conversation. Profiles such as pawl and lkj have one.</p>
        </Empty>
      ) : (
        <Working held={shown.held} {...props} />
      )}
      <div className="mem-columns">
        <PagedOut {...props} />
        <ShelfSearch {...props} />
      </div>
    </section>
  );
}

function Gauges({ shown: { held, window } }: { readonly shown: MemoryShown }) {
  if (held === null && window === null) return null;
  return (
    <div className="mem-gauges">
      {held !== null && (
        <GaugeShown name="working memory" gauge={held.gauge} mark={null}>
          room is made from {amount(held.gauge.max)} tokens on
          {held.hardLimit !== null && `, nothing is added beyond ${amount(held.hardLimit)}`}
          {held.ofWindow !== null && `; ${percent(held.ofWindow)} of the model's window`}
        </GaugeShown>
      )}
      {window !== null && (
        <GaugeShown name="the model's window" gauge={window} mark={window.fullAt / window.max}>
          room is made before it holds {amount(window.fullAt)} tokens: the reply needs some too
        </GaugeShown>
      )}
    </div>
  );
}

type GaugeProps = {
  readonly name: string;
  readonly gauge: Gauge;
  /** Where on it something happens, from 0 to 1. */
  readonly mark: number | null;
  readonly children: React.ReactNode;
};

function GaugeShown({ name, gauge: { used, max, share }, mark, children }: GaugeProps) {
  return (
    <div className="mem-gauge">
      <p>
        <strong>{name}</strong>
        <span>
          {amount(used)} of {amount(max)} tokens, {percent(share)}
        </span>
      </p>
      <span
        className={`mem-bar ${gravity(share)}`}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(used, max)}
      >
        <span style={{ width: percent(Math.min(share, 1)).replace(' ', '') }} />
        {mark !== null && <i style={{ left: percent(mark).replace(' ', '') }} />}
      </span>
      <p className="mem-quiet">{children}</p>
    </div>
  );
}

type WorkingProps = SessionViewProps & { readonly held: NonNullable<MemoryShown['held']> };

function Working({ held, isFollowing, send, detail }: WorkingProps) {
  const [form, setForm] = useState<'map' | 'list'>('map');
  const [picked, setPicked] = useState<string | null>(null);
  const { entries } = held;
  const entry = entries.find(({ key }) => key === picked) ?? null;
  if (entries.length === 0) {
    return (
      <Empty title="Working memory is empty">
        <p>What the agent puts there with working_memory_add shows here, by size.</p>
      </Empty>
    );
  }
  return (
    <section className="mem-working" aria-label="Working memory">
      <div className="mem-head">
        <h2>Working memory</h2>
        <p className="mem-quiet">
          {counted(entries.length, 'entry', 'entries')}
          {held.pinned > 0 && `, ${held.pinned} pinned`}
        </p>
        <Either label="How it is shown" of={['map', 'list']} chosen={form} choose={setForm} />
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
            why={whyNot(isFollowing, send, detail)}
          />
        )}
      </div>
    </section>
  );
}

function whyNot(
  isFollowing: boolean,
  send: SessionViewProps['send'],
  detail: SessionViewProps['detail'],
): string {
  if (detail.kind === 'imported') return 'An imported run can only be looked at.';
  if (send === null) return detail.why ?? 'Nothing can be asked of this session.';
  return isFollowing ? '' : 'This is the past: follow the present to change something.';
}

type EntriesProps = {
  readonly entries: readonly Held[];
  readonly picked: string | null;
  readonly pick: (key: string) => void;
};

function EntryList({ entries, picked, pick }: EntriesProps) {
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
                  {visibleLine(key, 80)}
                </button>
                {isPinned && <span className="mem-pin">pinned</span>}
              </th>
              <td>{kind}</td>
              <td className="number">{amount(tokens)}</td>
              <td className="number">{percent(share)}</td>
              <td>{clockTime(touchedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type EntryPanelProps = {
  readonly entry: Held;
  readonly close: () => void;
  readonly send: SessionViewProps['send'];
  /** Why nothing can be done with it, where nothing can. */
  readonly why: string;
};

function EntryPanel({ entry, close, send, why }: EntryPanelProps) {
  const { key, value, kind, isPinned, tokens, bytes, share, addedAt, touchedAt } = entry;
  const ask = (action: 'pin' | 'unpin' | 'evict', done: string): void => {
    send?.({ kind: 'memory', action, key }).then(() => toast(done), toastError);
  };
  return (
    <aside className="mem-entry tone-memory" aria-label={`Entry ${visibleLine(key, 60)}`}>
      <header>
        <h3>{visibleLine(key, 120)}</h3>
        <button type="button" className="icon" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <p className="mem-quiet">
        {kind}
        {isPinned && ', pinned'} · {amount(tokens)} tokens ({bytes.toLocaleString('en')} bytes),{' '}
        {percent(share)} of all · added {clockTime(addedAt)}, touched {clockTime(touchedAt)}
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
      <LongText text={jsonText(value)} mono lines={24} />
    </aside>
  );
}

const pagingsMax = 100;

/** Every time that room was made, with what went and why. */
function PagedOut({ track, at, go }: SessionViewProps) {
  const pagings = pagingsUpTo(track, at);
  return (
    <section className="mem-paged" aria-label="Paged out">
      <h2>Paged out</h2>
      {pagings.length === 0 && <p className="mem-quiet">Nothing so far: there was room enough.</p>}
      <ol>
        {pagings.slice(0, pagingsMax).map(({ seq, at: when, moved, freedTokens, reason }) => (
          <li key={seq}>
            <p>
              <button type="button" className="link" onClick={() => go({ seq })}>
                event {seq}
              </button>
              , {clockTime(when)}: {amount(freedTokens)} tokens freed
              {reason !== null && <span className="mem-quiet"> because {visibleLine(reason, 160)}</span>}
            </p>
            {moved.length === 0 ? (
              <p className="mem-quiet">the conversation became shorter</p>
            ) : (
              <ul>
                {moved.map(({ key, tokens, why }) => (
                  <li key={key}>
                    <code>{visibleLine(key, 60)}</code>{' '}
                    <span className="mem-quiet">
                      {amount(tokens)} tokens, {why}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
      {pagings.length > pagingsMax && <p className="mem-quiet">{pagings.length - pagingsMax} earlier ones</p>}
    </section>
  );
}

/** Storage, searched by words. It is as it is now, whatever moment is looked at. */
function ShelfSearch({ api, detail }: SessionViewProps) {
  const [words, setWords] = useState('');
  const [found, setFound] = useState<Shelf | null>(null);
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
          {error !== null && <Trouble error={error} />}
          {found !== null && found.entries.length === 0 && (
            <p className="mem-quiet">{words === '' ? 'Storage is empty.' : 'Nothing fits these words.'}</p>
          )}
          <ul>
            {found?.entries.map(({ key, value, size, at }) => (
              <li key={key}>
                <details>
                  <summary>
                    <code>{visibleLine(key, 70)}</code>
                    <span className="mem-quiet">
                      {counted(size, 'character')}, {dayTime(at)}
                    </span>
                  </summary>
                  <LongText text={jsonText(value)} mono lines={16} />
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
