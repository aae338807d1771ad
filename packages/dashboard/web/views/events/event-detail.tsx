import { useMemo, useState, type ReactNode } from 'react';
import type { Action, Note } from '@pawl/core';
import { formatDayTime } from '../../app/format.ts';
import { getEventTone } from '../../app/tones.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { CopyButton } from '../../app/widgets/copy-button.tsx';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { JsonText, JsonView } from '../../app/widgets/json-view.tsx';
import { diffStates, type StateDiff } from './state-diff.ts';

const eventDetailForms = ['Pretty', 'JSON', 'State'] as const;

/** Details of one event: its data, the resulting actions and notes, and the state changes. */
export function EventDetail({ track, version, at, detail, go }: SessionViewProps) {
  const [form, setForm] = useState<(typeof eventDetailForms)[number]>('Pretty');
  const index = track.indexOf(at);
  const entry = index === -1 ? null : track.entry(index);
  const diff = useMemo(() => diffStates(track.at(at - 1), track.at(at)), [track, version, at]);
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
  const whole = { seq: entry.seq, event, actions: actions.map(abbreviateAction), notes };
  return (
    <section className="event-detail" aria-label={`Event ${at}`} tabIndex={0}>
      <header className={`tone-${getEventTone(event.type)}`}>
        <h2>
          <span className="seq">#{at}</span> {event.type}
        </h2>
        <span className="faint">{formatDayTime(event.at)}</span>
      </header>
      <div className="bar">
        <ToggleGroup label="Form" of={eventDetailForms} chosen={form} choose={setForm} />
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
          <EventSection title="Event">
            <JsonView value={event} />
          </EventSection>
          <EventSection title={`Actions (${actions.length})`}>
            {actions.map((action, place) => (
              <JsonView key={place} value={abbreviateAction(action)} open={1} />
            ))}
          </EventSection>
          <EventSection title={`Notes (${notes.length})`}>
            {notes.map((note, place) => (
              <NoteLine key={place} note={note} />
            ))}
          </EventSection>
          <EventSection title="What it changed">
            <StateDiffList diff={diff} />
          </EventSection>
        </>
      )}
    </section>
  );
}

function EventSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** Replaces the full conversation in an action by its length. */
function abbreviateAction(action: Action): object {
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

function StateDiffList({ diff: { changes, left } }: { readonly diff: StateDiff }) {
  if (changes.length === 0) return <p className="faint">Nothing.</p>;
  return (
    <div className="diff" role="list">
      {changes.map(({ path, before, after }) => (
        <div key={path} className="change" role="listitem">
          <code className="change-path">{toSafeLine(path)}</code>
          {before !== undefined && <DiffValue sign="−" name="removed" value={before} />}
          {after !== undefined && <DiffValue sign="+" name="added" value={after} />}
        </div>
      ))}
      {left > 0 && <p className="faint">and {left} more</p>}
    </div>
  );
}

function DiffValue({
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
