import { useMemo, useState, type ReactNode } from 'react';
import type { Action, Note } from '@pawl/core';
import { dayTime } from '../../app/format.ts';
import { toneOfEvent } from '../../app/tones.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { visibleLine } from '../../app/visible.ts';
import { CopyButton } from '../../app/widgets/copy-button.tsx';
import { Either } from '../../app/widgets/either.tsx';
import { JsonText, JsonView } from '../../app/widgets/json-view.tsx';
import { stateDiff, type StateDiff } from './state-diff.ts';

const forms = ['Pretty', 'JSON', 'State'] as const;

/** One event: what it says, what the machine answered, and what is different since. */
export function EventDetail({ track, version, at, detail, go }: SessionViewProps) {
  const [form, setForm] = useState<(typeof forms)[number]>('Pretty');
  const index = track.indexOf(at);
  const entry = index === -1 ? null : track.entry(index);
  const diff = useMemo(() => stateDiff(track.at(at - 1), track.at(at)), [track, version, at]);
  if (entry === null) {
    return (
      <section className="event-detail" aria-label="Event" tabIndex={0}>
        <h2>As created</h2>
        <p className="faint">Before the first event.</p>
        <JsonView value={track.created} />
      </section>
    );
  }
  const { event, actions, notes } = entry;
  const whole = { seq: entry.seq, event, actions: actions.map(shortAction), notes };
  return (
    <section className="event-detail" aria-label={`Event ${at}`} tabIndex={0}>
      <header className={`tone-${toneOfEvent(event.type)}`}>
        <h2>
          <span className="seq">#{at}</span> {event.type}
        </h2>
        <span className="faint">{dayTime(event.at)}</span>
      </header>
      <div className="bar">
        <Either label="Form" of={forms} chosen={form} choose={setForm} />
        <CopyButton label="Copy as JSON" text={() => JSON.stringify(whole, null, 2)} />
        <CopyButton label="Copy as test step" text={() => JSON.stringify(event)} />
        {notes.some((note) => note.type === 'verdict') && (
          <button type="button" className="small" onClick={() => go({ seq: at, view: 'why' })}>
            Why?
          </button>
        )}
        {detail.kind === 'kept' && (
          <button type="button" className="small" onClick={() => go({ seq: at, view: 'transcript' })}>
            In the transcript
          </button>
        )}
      </div>
      {form === 'JSON' && <JsonText value={whole} />}
      {form === 'State' && <JsonView value={track.at(at)} />}
      {form === 'Pretty' && (
        <>
          <Part title="Event">
            <JsonView value={event} />
          </Part>
          <Part title={`Actions (${actions.length})`}>
            {actions.map((action, place) => (
              <JsonView key={place} value={shortAction(action)} open={1} />
            ))}
          </Part>
          <Part title={`Notes (${notes.length})`}>
            {notes.map((note, place) => (
              <NoteLine key={place} note={note} />
            ))}
          </Part>
          <Part title="What it changed">
            <Diff diff={diff} />
          </Part>
        </>
      )}
    </section>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** The conversation that an action carries is the whole one: its length says enough. */
function shortAction(action: Action): object {
  return 'conversation' in action
    ? { ...action, conversation: `${action.conversation.length} messages` }
    : action;
}

function NoteLine({ note }: { readonly note: Note }) {
  if (note.type === 'transition') {
    return (
      <p className="note-line">
        {note.from} → <strong>{note.to}</strong> <span className="faint">after {note.durationMs} ms</span>
      </p>
    );
  }
  return <JsonView value={note} open={1} />;
}

function Diff({ diff: { changes, left } }: { readonly diff: StateDiff }) {
  if (changes.length === 0) return <p className="faint">Nothing.</p>;
  return (
    <div className="diff" role="list">
      {changes.map(({ path, before, after }) => (
        <div key={path} className="change" role="listitem">
          <code className="change-path">{visibleLine(path)}</code>
          {before !== undefined && <Side sign="−" name="removed" value={before} />}
          {after !== undefined && <Side sign="+" name="added" value={after} />}
        </div>
      ))}
      {left > 0 && <p className="faint">and {left} more</p>}
    </div>
  );
}

function Side({
  sign,
  name,
  value,
}: {
  readonly sign: string;
  readonly name: string;
  readonly value: unknown;
}) {
  return (
    <div className={`side ${name}`}>
      <span aria-hidden="true">{sign}</span>
      <span className="visually-hidden">{name}</span>
      <JsonView value={value} open={1} />
    </div>
  );
}
