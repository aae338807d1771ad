import { useEffect, useState } from 'react';
import { formatLocalClock } from '../app/format.ts';
import { formatSessionAddress } from '../app/page-route.ts';
import { openAddress } from '../app/router.ts';
import { showToast, showErrorToast } from '../app/widgets/toasts.tsx';
import { useKeys } from '../app/use-keys.ts';
import type { SessionViewProps } from '../app/view-props.ts';
import { SvgIcon } from '../app/widgets/svg-icon.tsx';

const playIntervalMs = 220;

/** Slider over all events. Every view shows the session state after the selected event. */
export function EventScrubber(props: SessionViewProps) {
  const { timeline, at, isFollowing, navigate, detail } = props;
  const first = timeline.created.seq;
  const select = (seq: number): void =>
    navigate({ seq: seq >= timeline.head ? 'now' : Math.max(first, seq) });
  const [isPlaying, setPlaying] = usePlaying(props, select);
  const fork = detail.kind === 'stored' ? () => void forkAtEvent(props) : null;
  useKeys('Time', [
    { keys: '[', description: 'Previous event', run: () => select(at - 1) },
    { keys: ']', description: 'Next event', run: () => select(at + 1) },
    { keys: '{', description: 'Previous model reply', run: () => select(findNearestReply(props, -1)) },
    { keys: '}', description: 'Next model reply', run: () => select(findNearestReply(props, 1)) },
    { keys: '0', description: 'First event', run: () => select(first) },
    { keys: '.', description: 'Latest event, and follow', run: () => navigate({ seq: 'now' }) },
    { keys: 'P', description: 'Play events', run: () => setPlaying(!isPlaying) },
    ...(fork === null ? [] : [{ keys: 'F', description: 'Fork from here', run: fork }]),
  ]);
  return (
    <div className="scrubber">
      <TravelButtons {...{ first, at, select, isPlaying, setPlaying }} />
      <input
        type="range"
        min={first}
        max={Math.max(first, timeline.head)}
        value={at}
        aria-label="Selected event"
        aria-valuetext={formatPosition(props)}
        onChange={(event) => select(Number(event.target.value))}
      />
      <output className="place">{formatPosition(props)}</output>
      <div className="buttons">
        <button
          type="button"
          className={isFollowing ? 'small following' : 'small'}
          aria-pressed={isFollowing}
          onClick={() => navigate({ seq: 'now' })}
        >
          {isFollowing ? 'Following' : 'Go to latest'}
        </button>
        {fork !== null && (
          <button
            type="button"
            className="small"
            onClick={fork}
            title="Create a session that continues from this event (F)"
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
  readonly select: (seq: number) => void;
  readonly isPlaying: boolean;
  readonly setPlaying: (isPlaying: boolean) => void;
};

function TravelButtons({ first, at, select, isPlaying, setPlaying }: TravelButtonsProps) {
  return (
    <div className="buttons">
      <button type="button" className="icon" aria-label="First event" onClick={() => select(first)}>
        <SvgIcon name="first" />
      </button>
      <button type="button" className="icon" aria-label="Previous event" onClick={() => select(at - 1)}>
        <SvgIcon name="back" />
      </button>
      <button
        type="button"
        className="icon"
        aria-label={isPlaying ? 'Stop playing' : 'Play events'}
        aria-pressed={isPlaying}
        onClick={() => setPlaying(!isPlaying)}
      >
        <SvgIcon name={isPlaying ? 'stop' : 'play'} />
      </button>
      <button type="button" className="icon" aria-label="Next event" onClick={() => select(at + 1)}>
        <SvgIcon name="on" />
      </button>
    </div>
  );
}

function formatPosition({ timeline, at }: SessionViewProps): string {
  const index = timeline.indexOf(at);
  if (index === -1) return timeline.length === 0 ? 'no events yet' : 'as created';
  const { event } = timeline.entry(index);
  return `${at} of ${timeline.head} · ${event.type} · ${formatLocalClock(event.at)}`;
}

/** Returns the nearest model reply in the given direction, or the end of the timeline. */
function findNearestReply({ timeline, at }: SessionViewProps, direction: 1 | -1): number {
  for (let seq = at + direction; timeline.indexOf(seq) !== -1; seq += direction) {
    if (timeline.entry(timeline.indexOf(seq)).event.type === 'model-replied') return seq;
  }
  return direction === 1 ? timeline.head : timeline.created.seq;
}

function usePlaying(
  { timeline, at }: SessionViewProps,
  to: (seq: number) => void,
): readonly [boolean, (playing: boolean) => void] {
  const [isPlaying, setPlaying] = useState(false);
  const isAtEnd = at >= timeline.head;
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      // Stop playback at the last event, so that a manual step back from there does not start it again.
      if (at + 1 >= timeline.head) setPlaying(false);
      if (!isAtEnd) to(at + 1);
    }, playIntervalMs);
    return () => clearTimeout(timer);
  });
  const play = (shouldPlay: boolean): void => {
    if (shouldPlay && isAtEnd) to(timeline.created.seq);
    setPlaying(shouldPlay);
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
