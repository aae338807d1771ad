import { useEffect, useState } from 'react';
import { clockTime } from './format.ts';
import { sessionAddress } from './route.ts';
import { open } from './router.ts';
import { toast, toastError } from './toasts.tsx';
import { useKeys } from './use-keys.ts';
import type { SessionViewProps } from './view-props.ts';
import { Icon } from './widgets/icon.tsx';

const playEveryMs = 220;

/** The slider over all events. Whatever is looked at shows the session as it was after the event that is chosen. */
export function Scrubber(props: SessionViewProps) {
  const { track, at, isFollowing, go, detail } = props;
  const first = track.created.seq;
  const to = (seq: number): void => go({ seq: seq >= track.head ? 'now' : Math.max(first, seq) });
  const [isPlaying, setPlaying] = usePlaying(props, to);
  const fork = detail.kind === 'kept' ? () => void forkFrom(props) : null;
  useKeys('Time', [
    { keys: '[', does: 'One event back', run: () => to(at - 1) },
    { keys: ']', does: 'One event on', run: () => to(at + 1) },
    { keys: '{', does: 'To the reply before', run: () => to(nearReply(props, -1)) },
    { keys: '}', does: 'To the next reply', run: () => to(nearReply(props, 1)) },
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
        aria-valuetext={placeText(props)}
        onChange={(event) => to(Number(event.target.value))}
      />
      <output className="place">{placeText(props)}</output>
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

type TravelProps = {
  readonly first: number;
  readonly at: number;
  readonly to: (seq: number) => void;
  readonly isPlaying: boolean;
  readonly setPlaying: (isPlaying: boolean) => void;
};

function TravelButtons({ first, at, to, isPlaying, setPlaying }: TravelProps) {
  return (
    <div className="buttons">
      <button type="button" className="icon" aria-label="To the beginning" onClick={() => to(first)}>
        <Icon name="first" />
      </button>
      <button type="button" className="icon" aria-label="One event back" onClick={() => to(at - 1)}>
        <Icon name="back" />
      </button>
      <button
        type="button"
        className="icon"
        aria-label={isPlaying ? 'Stop playing' : 'Play the events'}
        aria-pressed={isPlaying}
        onClick={() => setPlaying(!isPlaying)}
      >
        <Icon name={isPlaying ? 'stop' : 'play'} />
      </button>
      <button type="button" className="icon" aria-label="One event on" onClick={() => to(at + 1)}>
        <Icon name="on" />
      </button>
    </div>
  );
}

function placeText({ track, at }: SessionViewProps): string {
  const index = track.indexOf(at);
  if (index === -1) return track.length === 0 ? 'no events yet' : 'as created';
  const { event } = track.entry(index);
  return `${at} of ${track.head} · ${event.type} · ${clockTime(event.at)}`;
}

/** The next reply of the model in that direction, or the end. */
function nearReply({ track, at }: SessionViewProps, by: 1 | -1): number {
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
      if (isOver) setPlaying(false);
      else to(at + 1);
    }, playEveryMs);
    return () => clearTimeout(timer);
  });
  const play = (wanted: boolean): void => {
    if (wanted && isOver) to(track.created.seq);
    setPlaying(wanted);
  };
  return [isPlaying, play];
}

async function forkFrom({ api, detail, at }: SessionViewProps): Promise<void> {
  try {
    const { id } = await api.fork(detail.id, at);
    toast(`Forked after event ${at}.`);
    open(sessionAddress({ id }));
  } catch (error) {
    toastError(error);
  }
}
