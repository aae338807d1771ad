import { lazy, Suspense, useMemo, useState } from 'react';
import { formatCount } from '../../app/format.ts';
import { useNow } from '../../app/use-now.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { EmptyState } from '../../app/widgets/state-messages.tsx';
import { getSeriesValue, type StateHistory } from '../timeline/history-model.ts';
import { toPlotPoints } from '../timeline/timeline-series.tsx';
import type { AxisView } from '../timeline/scale-model.ts';
import { useStateHistory } from '../timeline/use-history.ts';
import {
  buildGovernorViewModel,
  getShareSeverity,
  formatMeterPercent,
  type GovernorViewModel,
  type BudgetMeter,
  type RuleProximity,
} from './governor-model.ts';
import { getSessionRules } from './session-rules.ts';
import './governor.css';

const LazyGovernorPlot = lazy(async () => ({
  default: (await import('../timeline/series-plot.tsx')).SeriesPlot,
}));

/** One-line summary for the session header: budget usage, rules close to a threshold, and the nearest forced end. */
export function GovernorStrip(props: SessionViewProps) {
  const { track, at, detail, go } = props;
  const shown = buildGovernorViewModel(track, at, {
    now: useMeterTime(props),
    rules: getSessionRules(track, detail),
  });
  const meters = shown.meters.filter(({ isFree }) => !isFree);
  const near = shown.rules.filter(({ share }) => share > 0).slice(0, 3);
  return (
    <div className="gov-strip tone-governor" role="group" aria-label="Governor" tabIndex={0}>
      <span className="gov-strip-name">governor</span>
      {meters.map((meter) => (
        <span key={meter.name} className="gov-strip-meter">
          <MeterBar share={meter.share} label={`${meter.name}: ${meter.used} of ${meter.max}`} />
          <span className="name">{meter.name}</span> {meter.used}/{meter.max}
        </span>
      ))}
      {near.map((rule) => (
        <button
          key={rule.id}
          type="button"
          className={`gov-chip ${getShareSeverity(rule.share)}`}
          title={rule.because}
          onClick={() => go({ view: 'governor' })}
        >
          {formatRuleProximity(rule)}
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
        <span className="gov-chip full">{formatCount(shown.refused.length, 'call')} refused</span>
      )}
      {near.length === 0 && shown.latest === null && (
        <span className="gov-calm">{formatQuietGovernor(shown)}</span>
      )}
    </div>
  );
}

function formatRuleProximity({ id, count, next }: RuleProximity): string {
  return next === null ? `${id} ${count}` : `${id} ${count}/${next.at} to ${next.level}`;
}

/** Presets that are trackers have states of their own. */
function formatQuietGovernor({ machine, preset }: GovernorViewModel): string {
  if (machine !== null) return `${preset}: ${machine}`;
  return preset === 'none' ? 'off' : 'nothing to say';
}

/** Returns the end time for the meters: the current time if a running session is followed, else the event's time. */
function useMeterTime({ track, at, isFollowing, detail }: SessionViewProps): number {
  const isLive = isFollowing && detail.kind === 'kept' && detail.holder !== 'nobody';
  const present = useNow(isLive ? 1_000 : 60_000);
  const index = track.indexOf(at);
  const then = index === -1 ? track.created.turn.since : track.entry(index).event.at;
  return isLive ? Math.max(present, then) : then;
}

/** Shows the governor's state: the remaining budgets, the proximity of each rule, and its history. */
export function GovernorView(props: SessionViewProps) {
  const { track, at, version, detail, go } = props;
  const shown = buildGovernorViewModel(track, at, {
    now: useMeterTime(props),
    rules: getSessionRules(track, detail),
  });
  const { history, taken } = useStateHistory(track, version);
  const [onlyNear, setOnlyNear] = useState(true);
  const place = track.indexOf(at);
  // A single match is not a pattern: every call is the first of its kind once.
  const seen = shown.rules.filter(({ id, count }) => count > 1 || history.peakOf(id) > 1);
  const listed = onlyNear ? seen : shown.rules;
  return (
    <section className="gov-view" aria-label="Governor">
      <div className="gov-cards">
        <BudgetCard meters={shown.meters} />
        <ForcedEndCard shown={shown} go={go} />
        <RefusalsCard shown={shown} />
      </div>
      <div className="gov-rules-head">
        <h2>Rules</h2>
        <p>
          {shown.rules.length === 0
            ? `The preset ${shown.preset} judges by states of its own${shown.machine === null ? '' : ` and is in ${shown.machine}`}.`
            : `${formatCount(seen.length, 'rule')} of ${shown.rules.length} ${seen.length === 1 ? 'has' : 'have'} seen something; the counts are those after event ${at}.`}
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
        <EmptyState title="No rule has seen anything">
          <p>Each looks for one way of going round in circles. Tick “all rules” to see what they look for.</p>
        </EmptyState>
      )}
      <ul className="gov-rules">
        {listed.map((rule) => (
          <RuleRow key={rule.id} rule={rule} {...{ history, taken, place, track, go }} />
        ))}
      </ul>
    </section>
  );
}

function BudgetCard({ meters }: { readonly meters: readonly BudgetMeter[] }) {
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
              {!meter.isFree && (
                <MeterBar share={meter.share} label={`${meter.name}: ${formatMeterPercent(meter.share)}`} />
              )}
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

function ForcedEndCard({
  shown,
  go,
}: {
  readonly shown: GovernorViewModel;
  readonly go: SessionViewProps['go'];
}) {
  const { forcedEnd, spoke, latest, recoveries } = shown;
  return (
    <section className="gov-card" aria-label="Distance to a forced end">
      <h2>Distance to a forced end</h2>
      {forcedEnd === null ? (
        <p className="gov-quiet">Far: no budget and no rule is on the way there.</p>
      ) : (
        <>
          <p className={`gov-end ${getShareSeverity(forcedEnd.share)}`}>
            {formatMeterPercent(Math.max(0, 1 - forcedEnd.share))} left
          </p>
          <MeterBar
            share={forcedEnd.share}
            label={`Distance to a forced end: ${formatMeterPercent(forcedEnd.share)} gone`}
          />
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
          {formatCount(recoveries.used, 'recovery', 'recoveries')} in a row, of {recoveries.max}
        </p>
      )}
    </section>
  );
}

function RefusalsCard({ shown: { refused } }: { readonly shown: GovernorViewModel }) {
  return (
    <section className="gov-card" aria-label="Refused for now">
      <h2>Refused for now</h2>
      {refused.length === 0 && (
        <p className="gov-quiet">No call. One that is refused stays so until another brings something new.</p>
      )}
      <ul className="gov-refusals">
        {refused.map(({ call, rule, reason, advice, asked }) => (
          <li key={call}>
            <strong>{rule}</strong>: {toSafeLine(reason)}
            <span className="gov-quiet">
              {asked === 0 ? 'not asked for since' : `asked for ${formatCount(asked, 'more time')}`} · told:{' '}
              {toSafeLine(advice)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type RuleRowProps = Pick<SessionViewProps, 'track' | 'go'> & {
  readonly rule: RuleProximity;
  readonly history: StateHistory;
  /** Number of events in the history, which is one mutable object that grows. */
  readonly taken: number;
  readonly place: number;
};

/** Shows one rule: how close it is to its next threshold, now and over time. */
function RuleRow({ rule, history, taken, place, track, go }: RuleRowProps) {
  const { id, because, count, next, rungs, unit, share } = rule;
  const course = history.rules.get(id);
  const top = Math.max(...rungs.map(({ at }) => at), 1);
  const view: AxisView = { axis: 'events', from: 0, to: Math.max(1, track.length - 1), width: 600 };
  const lines = useMemo(
    () =>
      course === undefined ? [] : [{ label: id, colour: '--series-4', ...toPlotPoints(track, course, view) }],
    [course, id, track, track.length, taken],
  );
  const ahead = next === null ? 'nothing is left for it to do' : `would ${next.level} at ${next.at}`;
  return (
    <li className={`gov-rule ${getShareSeverity(share)}`}>
      <div className="gov-rule-text">
        <h3>{id}</h3>
        <p className="gov-rule-now">
          <strong>{count}</strong> {count === 1 && unit === 'times' ? 'time' : unit},{' '}
          {count === 0 ? 'saw nothing' : ahead}
        </p>
        <RuleLadder rungs={rungs} count={count} />
        <details>
          <summary>Why it is a rule</summary>
          <p>{because}</p>
        </details>
      </div>
      <div className="gov-rule-plot">
        {lines.length > 0 && course !== undefined && (
          <Suspense fallback={<div className="plot-wait" />}>
            <LazyGovernorPlot
              label={`${id} over all events: ${getSeriesValue(course, place)} at the event looked at`}
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

/** Shows the thresholds of a rule, lowest first. */
function RuleLadder({ rungs, count }: Pick<RuleProximity, 'rungs' | 'count'>) {
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

function MeterBar({ share, label }: { readonly share: number; readonly label: string }) {
  const bounded = Math.min(Math.max(Number.isFinite(share) ? share : 0, 0), 1);
  return (
    <span
      className={`gov-bar ${getShareSeverity(share)}`}
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
