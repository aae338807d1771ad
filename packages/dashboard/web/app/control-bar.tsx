import { Scrubber } from './scrubber.tsx';
import { StepIn } from './step-in.tsx';
import type { SessionViewProps } from './view-props.ts';

/** The bar at the bottom: go through time, and step in. */
export function ControlBar(props: SessionViewProps) {
  const { detail, send } = props;
  return (
    <section className="control-bar" aria-label="Time travel and control">
      <Scrubber {...props} />
      {send !== null && <StepIn {...props} send={send} />}
      {send === null && detail.kind === 'kept' && (
        <p className="why-not">{detail.why ?? 'Nothing can be asked of this session from here.'}</p>
      )}
    </section>
  );
}
