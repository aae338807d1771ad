import { formatLocalClock } from '../../app/format.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import type { TranscriptEntry } from './transcript-model.ts';

export type TranscriptItemProps<Kind extends TranscriptEntry['kind'] = TranscriptEntry['kind']> =
  SessionViewProps & {
    readonly item: Extract<TranscriptEntry, { readonly kind: Kind }>;
    readonly showPrompt: (seq: number) => void;
  };

/** Shows the time of an event and links to it. */
export function EventLink({ item: { seq, at }, navigate }: Pick<TranscriptItemProps, 'item' | 'navigate'>) {
  return (
    <button
      type="button"
      className="place-link"
      title={`Select event ${seq}`}
      onClick={() => navigate({ seq })}
    >
      <span className="clock">{formatLocalClock(at)} </span>
      <span className="seq">#{seq}</span>
    </button>
  );
}
