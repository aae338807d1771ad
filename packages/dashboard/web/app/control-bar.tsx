import { EventScrubber } from './event-scrubber.tsx';
import { SessionControls } from './session-controls.tsx';
import type { SessionViewProps } from './view-props.ts';

/** The bar at the bottom of the page, with the event scrubber and the session controls. */
export function ControlBar(props: SessionViewProps) {
  const { detail, send } = props;
  return (
    <section className="control-bar" aria-label="Time travel and control">
      <EventScrubber {...props} />
      {send !== null && <SessionControls {...props} send={send} />}
      {send === null && detail.kind === 'kept' && (
        <p className="why-not">{detail.why ?? 'Nothing can be asked of this session from here.'}</p>
      )}
    </section>
  );
}
