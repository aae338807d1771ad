import { useEffect, useState } from 'react';
import { formatLocalClock } from './format.ts';
import { formatSessionAddress } from './page-route.ts';
import { openAddress } from './router.ts';
import { showToast, showErrorToast } from './toasts.tsx';
import { useKeys } from './use-keys.ts';
import type { SessionViewProps } from './view-props.ts';
import { SvgIcon } from './widgets/svg-icon.tsx';

const playEveryMs = 220;

/** Slider over all events. Every view shows the session state after the selected event. */
export function EventScrubber(props: SessionViewProps) {
  const { track, at, isFollowing, go, detail } = props;
  const first = track.created.seq;
  const to = (seq: number): void => go({ seq: seq >= track.head ? 'now' : Math.max(first, seq) });
  const [isPlaying, setPlaying] = usePlaying(props, to);
  const fork = detail.kind === 'kept' ? () => void forkAtEvent(props) : null;
  useKeys('Time', [
    { keys: '[', does: 'One event back', run: () => to(at - 1) },
    { keys: ']', does: 'One event on', run: () => to(at + 1) },
    { keys: '{', does: 'To the reply before', run: () => to(findNearestReply(props, -1)) },
    { keys: '}', does: 'To the next reply', run: () => to(findNearestReply(props, 1)) },
    { keys: '0', does: 'To the beginning', run: () => to(first) },
    { keys: '.', does: 'To now, and follow', run: () => go({ seq: 'now' }) },
    { keys: 'P', does: 'Play the events', run: () => setPlaying(!isPlaying) },
    ...(fork === null ? [] : [{ keys: 'F', does: 'Fork from here', run: fork }]),
  ]);
  return (
    <div className="scrubber">
      <TravelButtons {...{ first, at, to, isPlaying, setPlaying }} />
      <input
        type="range"
        min={first}
        max={Math.max(first, track.head)}
        value={at}
        aria-label="Event looked at"
        aria-valuetext={formatPosition(props)}
        onChange={(event) => to(Number(event.target.value))}
      />
      <output className="place">{formatPosition(props)}</output>
      <div className="buttons">
        <button
          type="button"
          className={isFollowing ? 'small following' : 'small'}
          aria-pressed={isFollowing}
          onClick={() => go({ seq: 'now' })}
        >
          {isFollowing ? 'Following' : 'To now'}
        </button>
        {fork !== null && (
          <button
            type="button"
            className="small"
            onClick={fork}
            title="A new session that goes on from this event (F)"
          >
            Fork
          </button>
        )}
      </div>
    </div>
  );
}

type TravelButtonsProps = {
  readonly first: number;
  readonly at: number;
  readonly to: (seq: number) => void;
  readonly isPlaying: boolean;
  readonly setPlaying: (isPlaying: boolean) => void;
};

function TravelButtons({ first, at, to, isPlaying, setPlaying }: TravelButtonsProps) {
  return (
    <div className="buttons">
      <button type="button" className="icon" aria-label="To the beginning" onClick={() => to(first)}>
        <SvgIcon name="first" />
      </button>
      <button type="button" className="icon" aria-label="One event back" onClick={() => to(at - 1)}>
        <SvgIcon name="back" />
      </button>
      <button
        type="button"
        className="icon"
        aria-label={isPlaying ? 'Stop playing' : 'Play the events'}
        aria-pressed={isPlaying}
        onClick={() => setPlaying(!isPlaying)}
      >
        <SvgIcon name={isPlaying ? 'stop' : 'play'} />
      </button>
      <button type="button" className="icon" aria-label="One event on" onClick={() => to(at + 1)}>
        <SvgIcon name="on" />
      </button>
    </div>
  );
}

function formatPosition({ track, at }: SessionViewProps): string {
  const index = track.indexOf(at);
  if (index === -1) return track.length === 0 ? 'no events yet' : 'as created';
  const { event } = track.entry(index);
  return `${at} of ${track.head} · ${event.type} · ${formatLocalClock(event.at)}`;
}

/** Returns the nearest model reply in the given direction, or the end of the timeline. */
function findNearestReply({ track, at }: SessionViewProps, by: 1 | -1): number {
  for (let seq = at + by; track.indexOf(seq) !== -1; seq += by) {
    if (track.entry(track.indexOf(seq)).event.type === 'model-replied') return seq;
  }
  return by === 1 ? track.head : track.created.seq;
}

function usePlaying(
  { track, at }: SessionViewProps,
  to: (seq: number) => void,
): readonly [boolean, (playing: boolean) => void] {
  const [isPlaying, setPlaying] = useState(false);
  const isOver = at >= track.head;
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      // Stop playback at the last event, so that a manual step back from there does not start it again.
      if (at + 1 >= track.head) setPlaying(false);
      if (!isOver) to(at + 1);
    }, playEveryMs);
    return () => clearTimeout(timer);
  });
  const play = (wanted: boolean): void => {
    if (wanted && isOver) to(track.created.seq);
    setPlaying(wanted);
  };
  return [isPlaying, play];
}

async function forkAtEvent({ api, detail, at }: SessionViewProps): Promise<void> {
  try {
    const { id } = await api.fork(detail.id, at);
    showToast(`Forked after event ${at}.`);
    openAddress(formatSessionAddress({ id }));
  } catch (error) {
    showErrorToast(error);
  }
}
