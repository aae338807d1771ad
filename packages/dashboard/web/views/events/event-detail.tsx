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
export function EventDetail({ timeline, version, at, detail, navigate }: SessionViewProps) {
  const [form, setForm] = useState<(typeof eventDetailForms)[number]>('Pretty');
  const entryIndex = timeline.indexOf(at);
  const entry = entryIndex === -1 ? null : timeline.entry(entryIndex);
  const diff = useMemo(
    () => diffStates(timeline.stateAt(at - 1), timeline.stateAt(at)),
    [timeline, version, at],
  );
  if (entry === null) {
    return (
      <section className="event-detail" aria-label="Event" tabIndex={0}>
        <h2>As created</h2>
        <p className="faint">Before the first event.</p>
        <JsonView value={timeline.created} />
      </section>
    );
  }
  const { event, actions, notes } = entry;
  const result = { seq: entry.seq, event, actions: actions.map(abbreviateAction), notes };
  return (
    <section className="event-detail" aria-label={`Event ${at}`} tabIndex={0}>
      <header className={`tone-${getEventTone(event.type)}`}>
        <h2>
          <span className="seq">#{at}</span> {event.type}
        </h2>
        <span className="faint">{formatDayTime(event.at)}</span>
      </header>
      <div className="bar">
        <ToggleGroup label="Form" options={eventDetailForms} selected={form} onSelect={setForm} />
        <CopyButton label="Copy as JSON" text={() => JSON.stringify(result, null, 2)} />
        <CopyButton label="Copy as test step" text={() => JSON.stringify(event)} />
        {notes.some((note) => note.type === 'verdict') && (
          <button type="button" className="small" onClick={() => navigate({ seq: at, view: 'why' })}>
            Why?
          </button>
        )}
        {detail.kind === 'stored' && (
          <button type="button" className="small" onClick={() => navigate({ seq: at, view: 'transcript' })}>
            Show in transcript
          </button>
        )}
      </div>
      {form === 'JSON' && <JsonText value={result} />}
      {form === 'State' && <JsonView value={timeline.stateAt(at)} />}
      {form === 'Pretty' && (
        <>
          <EventSection title="Event">
            <JsonView value={event} />
          </EventSection>
          <EventSection title={`Actions (${actions.length})`}>
            {actions.map((action, index) => (
              <JsonView key={index} value={abbreviateAction(action)} expandedDepth={1} />
            ))}
          </EventSection>
          <EventSection title={`Notes (${notes.length})`}>
            {notes.map((note, index) => (
              <NoteLine key={index} note={note} />
            ))}
          </EventSection>
          <EventSection title="State changes">
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
  return <JsonView value={note} expandedDepth={1} />;
}

function StateDiffList({ diff: { changes, omitted } }: { readonly diff: StateDiff }) {
  if (changes.length === 0) return <p className="faint">None.</p>;
  return (
    <div className="diff" role="list">
      {changes.map(({ path, before, after }) => (
        <div key={path} className="change" role="listitem">
          <code className="change-path">{toSafeLine(path)}</code>
          {before !== undefined && <DiffValue sign="−" name="removed" value={before} />}
          {after !== undefined && <DiffValue sign="+" name="added" value={after} />}
        </div>
      ))}
      {omitted > 0 && <p className="faint">and {omitted} more</p>}
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
      <JsonView value={value} expandedDepth={1} />
    </div>
  );
}
