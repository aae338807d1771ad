import { lazy, Suspense, useMemo, useState } from 'react';
import { counted } from '../../app/format.ts';
import { useNow } from '../../app/use-now.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { visibleLine } from '../../app/visible.ts';
import { Empty } from '../../app/widgets/notes.tsx';
import { valueOn, type History } from '../timeline/history-model.ts';
import { pointsOf } from '../timeline/series.tsx';
import type { View } from '../timeline/scale-model.ts';
import { useHistory } from '../timeline/use-history.ts';
import {
  governorShown,
  gravity,
  percent,
  type GovernorShown,
  type Meter,
  type RuleNear,
} from './governor-model.ts';
import { rulesOf } from './rules-of.ts';
import './governor.css';

const Plot = lazy(async () => ({ default: (await import('../timeline/plot.tsx')).Plot }));

/** In one line, for the header of a session: what is used up, which rules are near, and how far the end is. */
export function GovernorStrip(props: SessionViewProps) {
  const { track, at, detail, go } = props;
  const shown = governorShown(track, at, { now: useWorkNow(props), rules: rulesOf(track, detail) });
  const meters = shown.meters.filter(({ isFree }) => !isFree);
  const near = shown.rules.filter(({ share }) => share > 0).slice(0, 3);
  return (
    <div className="gov-strip tone-governor" role="group" aria-label="Governor" tabIndex={0}>
      <span className="gov-strip-name">governor</span>
      {meters.map((meter) => (
        <span key={meter.name} className="gov-strip-meter">
          <Bar share={meter.share} label={`${meter.name}: ${meter.used} of ${meter.max}`} />
          <span className="name">{meter.name}</span> {meter.used}/{meter.max}
        </span>
      ))}
      {near.map((rule) => (
        <button
          key={rule.id}
          type="button"
          className={`gov-chip ${gravity(rule.share)}`}
          title={rule.because}
          onClick={() => go({ view: 'governor' })}
        >
          {nearText(rule)}
        </button>
      ))}
      {shown.latest !== null && (
        <button
          type="button"
          className="gov-chip spoke"
          onClick={() => go({ view: 'why', ...(shown.latest !== null && { seq: shown.latest.seq }) })}
        >
          spoke {shown.spoke === 1 ? 'once' : `${shown.spoke} times`}, last {shown.latest.rule}
        </button>
      )}
      {shown.refused.length > 0 && (
        <span className="gov-chip full">{counted(shown.refused.length, 'call')} refused</span>
      )}
      {near.length === 0 && shown.latest === null && <span className="gov-calm">{calmText(shown)}</span>}
    </div>
  );
}

function nearText({ id, count, next }: RuleNear): string {
  return next === null ? `${id} ${count}` : `${id} ${count}/${next.at} to ${next.level}`;
}

/** The presets that come as trackers judge by states of their own. */
function calmText({ machine, preset }: GovernorShown): string {
  if (machine !== null) return `${preset}: ${machine}`;
  return preset === 'none' ? 'off' : 'nothing to say';
}

/** The time that the meters count up to: the present while the work goes on and is followed, else that of the event. */
function useWorkNow({ track, at, isFollowing, detail }: SessionViewProps): number {
  const isLive = isFollowing && detail.kind === 'kept' && detail.holder !== 'nobody';
  const present = useNow(isLive ? 1_000 : 60_000);
  const index = track.indexOf(at);
  const then = index === -1 ? track.created.turn.since : track.entry(index).event.at;
  return isLive ? Math.max(present, then) : then;
}

/** What the governor makes of the work: what is left of each budget, how near each rule is, and how that came about. */
export function GovernorView(props: SessionViewProps) {
  const { track, at, version, detail, go } = props;
  const shown = governorShown(track, at, { now: useWorkNow(props), rules: rulesOf(track, detail) });
  const { history, taken } = useHistory(track, version);
  const [onlyNear, setOnlyNear] = useState(true);
  const place = track.indexOf(at);
  // One sighting is no pattern yet: every call is the first of its kind once.
  const seen = shown.rules.filter(({ id, count }) => count > 1 || history.peakOf(id) > 1);
  const listed = onlyNear ? seen : shown.rules;
  return (
    <section className="gov-view" aria-label="Governor">
      <div className="gov-cards">
        <Budgets meters={shown.meters} />
        <End shown={shown} go={go} />
        <Refusals shown={shown} />
      </div>
      <div className="gov-rules-head">
        <h2>Rules</h2>
        <p>
          {shown.rules.length === 0
            ? `The preset ${shown.preset} judges by states of its own${shown.machine === null ? '' : ` and is in ${shown.machine}`}.`
            : `${counted(seen.length, 'rule')} of ${shown.rules.length} ${seen.length === 1 ? 'has' : 'have'} seen something; the counts are those after event ${at}.`}
        </p>
        {shown.rules.length > 0 && (
          <label className="gov-check">
            <input
              type="checkbox"
              checked={!onlyNear}
              onChange={(event) => setOnlyNear(!event.target.checked)}
            />
            all rules
          </label>
        )}
      </div>
      {shown.rules.length > 0 && listed.length === 0 && (
        <Empty title="No rule has seen anything">
          <p>Each looks for one way of going round in circles. Tick “all rules” to see what they look for.</p>
        </Empty>
      )}
      <ul className="gov-rules">
        {listed.map((rule) => (
          <RuleRow key={rule.id} rule={rule} {...{ history, taken, place, track, go }} />
        ))}
      </ul>
    </section>
  );
}

function Budgets({ meters }: { readonly meters: readonly Meter[] }) {
  return (
    <section className="gov-card" aria-label="Budgets">
      <h2>Budgets</h2>
      {meters.length === 0 && (
        <p className="gov-quiet">
          None: this session may use up what it likes. Give it some with <code>--max-…</code> or in its
          profile.
        </p>
      )}
      <dl className="gov-meters">
        {meters.map((meter) => (
          <div key={meter.name} className={meter.isFree ? 'gov-meter free' : 'gov-meter'}>
            <dt>{meter.name}</dt>
            <dd>
              {!meter.isFree && <Bar share={meter.share} label={`${meter.name}: ${percent(meter.share)}`} />}
              <span className="value">
                {meter.used} <span className="of">{meter.isFree ? 'no limit' : `of ${meter.max}`}</span>
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function End({ shown, go }: { readonly shown: GovernorShown; readonly go: SessionViewProps['go'] }) {
  const { forcedEnd, spoke, latest, recoveries } = shown;
  return (
    <section className="gov-card" aria-label="Distance to a forced end">
      <h2>Distance to a forced end</h2>
      {forcedEnd === null ? (
        <p className="gov-quiet">Far: no budget and no rule is on the way there.</p>
      ) : (
        <>
          <p className={`gov-end ${gravity(forcedEnd.share)}`}>
            {percent(Math.max(0, 1 - forcedEnd.share))} left
          </p>
          <Bar share={forcedEnd.share} label={`Distance to a forced end: ${percent(forcedEnd.share)} gone`} />
          <p className="gov-quiet">
            nearest is <strong>{forcedEnd.by}</strong>: {forcedEnd.left}
          </p>
        </>
      )}
      <p className="gov-said">
        {spoke === 0
          ? 'It has said nothing so far.'
          : `It has spoken ${spoke === 1 ? 'once' : `${spoke} times`}.`}{' '}
        {latest !== null && (
          <button type="button" className="link" onClick={() => go({ view: 'why', seq: latest.seq })}>
            Last: {latest.rule} ({latest.response}) at event {latest.seq}
          </button>
        )}
      </p>
      {recoveries.used > 0 && (
        <p className="gov-quiet">
          {counted(recoveries.used, 'recovery', 'recoveries')} in a row, of {recoveries.max}
        </p>
      )}
    </section>
  );
}

function Refusals({ shown: { refused } }: { readonly shown: GovernorShown }) {
  return (
    <section className="gov-card" aria-label="Refused for now">
      <h2>Refused for now</h2>
      {refused.length === 0 && (
        <p className="gov-quiet">No call. One that is refused stays so until another brings something new.</p>
      )}
      <ul className="gov-refusals">
        {refused.map(({ call, rule, reason, advice, asked }) => (
          <li key={call}>
            <strong>{rule}</strong>: {visibleLine(reason)}
            <span className="gov-quiet">
              {asked === 0 ? 'not asked for since' : `asked for ${counted(asked, 'more time')}`} · told:{' '}
              {visibleLine(advice)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type RuleRowProps = Pick<SessionViewProps, 'track' | 'go'> & {
  readonly rule: RuleNear;
  readonly history: History;
  /** How much of the history is known: it is one object that grows. */
  readonly taken: number;
  readonly place: number;
};

/** One rule: how near it is now, and how near it was when. */
function RuleRow({ rule, history, taken, place, track, go }: RuleRowProps) {
  const { id, because, count, next, rungs, unit, share } = rule;
  const course = history.rules.get(id);
  const top = Math.max(...rungs.map(({ at }) => at), 1);
  const view: View = { axis: 'events', from: 0, to: Math.max(1, track.length - 1), width: 600 };
  const lines = useMemo(
    () =>
      course === undefined ? [] : [{ label: id, colour: '--series-4', ...pointsOf(track, course, view) }],
    [course, id, track, track.length, taken],
  );
  const ahead = next === null ? 'nothing is left for it to do' : `would ${next.level} at ${next.at}`;
  return (
    <li className={`gov-rule ${gravity(share)}`}>
      <div className="gov-rule-text">
        <h3>{id}</h3>
        <p className="gov-rule-now">
          <strong>{count}</strong> {count === 1 && unit === 'times' ? 'time' : unit},{' '}
          {count === 0 ? 'saw nothing' : ahead}
        </p>
        <Ladder rungs={rungs} count={count} />
        <details>
          <summary>Why it is a rule</summary>
          <p>{because}</p>
        </details>
      </div>
      <div className="gov-rule-plot">
        {lines.length > 0 && course !== undefined && (
          <Suspense fallback={<div className="plot-wait" />}>
            <Plot
              label={`${id} over all events: ${valueOn(course, place)} at the event looked at`}
              lines={lines}
              from={view.from}
              to={view.to}
              height={64}
              gutter={34}
              as={(value) => String(Math.round(value))}
              top={top}
              limit={rungs[0]?.at ?? 0}
              cursor={place}
              pick={(x) => {
                const index = Math.min(Math.max(0, Math.round(x)), track.length - 1);
                go({ seq: track.entry(index).seq });
              }}
            />
          </Suspense>
        )}
      </div>
    </li>
  );
}

/** The rungs of a rule, from what it does first to what it does last. */
function Ladder({ rungs, count }: Pick<RuleNear, 'rungs' | 'count'>) {
  return (
    <ol className="gov-ladder" aria-label="What it does from how many on">
      {rungs.map(({ level, at }) => (
        <li key={level} className={count >= at ? 'reached' : ''}>
          {level} <span>at {at}</span>
        </li>
      ))}
    </ol>
  );
}

function Bar({ share, label }: { readonly share: number; readonly label: string }) {
  const bounded = Math.min(Math.max(Number.isFinite(share) ? share : 0, 0), 1);
  return (
    <span
      className={`gov-bar ${gravity(share)}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(bounded * 100)}
    >
      <span style={{ width: `${bounded * 100}%` }} />
    </span>
  );
}
