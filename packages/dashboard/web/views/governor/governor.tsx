import { lazy, Suspense, useMemo, useState } from 'react';
import { formatCount, formatMeterPercent, getShareSeverity } from '../../app/format.ts';
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
  type GovernorViewModel,
  type BudgetMeter,
  type RuleProximity,
} from './governor-model.ts';
import { getSessionRules } from '../../app/session-rules.ts';
import './governor.css';

const LazyGovernorPlot = lazy(async () => ({
  default: (await import('../timeline/series-plot.tsx')).SeriesPlot,
}));

/** One-line summary for the session header: budget usage, rules close to a threshold, and the nearest forced end. */
export function GovernorStrip(props: SessionViewProps) {
  const { timeline, at, detail, navigate } = props;
  const shown = buildGovernorViewModel(timeline, at, {
    now: useMeterTime(props),
    rules: getSessionRules(timeline, detail),
  });
  const meters = shown.meters.filter(({ isUnlimited }) => !isUnlimited);
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
          title={rule.rationale}
          onClick={() => navigate({ view: 'governor' })}
        >
          {formatRuleProximity(rule)}
        </button>
      ))}
      {shown.latestVerdict !== null && (
        <button
          type="button"
          className="gov-chip spoke"
          onClick={() =>
            navigate({ view: 'why', ...(shown.latestVerdict !== null && { seq: shown.latestVerdict.seq }) })
          }
        >
          {formatCount(shown.verdictCount, 'verdict')}, last: {shown.latestVerdict.rule}
        </button>
      )}
      {shown.refused.length > 0 && (
        <span className="gov-chip full">{formatCount(shown.refused.length, 'call')} blocked</span>
      )}
      {near.length === 0 && shown.latestVerdict === null && (
        <span className="gov-calm">{formatQuietGovernor(shown)}</span>
      )}
    </div>
  );
}

function formatRuleProximity({ id, count, next }: RuleProximity): string {
  return next === null ? `${id} ${count}` : `${id} ${count}/${next.at} to ${next.severity}`;
}

/** Presets that are trackers have states of their own. */
function formatQuietGovernor({ trackerState, preset }: GovernorViewModel): string {
  if (trackerState !== null) return `${preset}: ${trackerState}`;
  return preset === 'none' ? 'off' : 'no matches';
}

/** Returns the end time for the meters: the current time if a running session is followed, else the event's time. */
function useMeterTime({ timeline, at, isFollowing, detail }: SessionViewProps): number {
  const isLive = isFollowing && detail.kind === 'stored' && detail.holder !== 'nobody';
  const currentTime = useNow(isLive ? 1_000 : 60_000);
  const index = timeline.indexOf(at);
  const eventTime = index === -1 ? timeline.created.turn.since : timeline.entry(index).event.at;
  return isLive ? Math.max(currentTime, eventTime) : eventTime;
}

/** Shows the governor's state: the remaining budgets, the proximity of each rule, and its history. */
export function GovernorView(props: SessionViewProps) {
  const { timeline, at, version, detail, navigate } = props;
  const shown = buildGovernorViewModel(timeline, at, {
    now: useMeterTime(props),
    rules: getSessionRules(timeline, detail),
  });
  const { history, processed } = useStateHistory(timeline, version);
  const [onlyMatched, setOnlyMatched] = useState(true);
  const index = timeline.indexOf(at);
  // A single match is not a pattern: every call is the first of its kind once.
  const matchedRules = shown.rules.filter(({ id, count }) => count > 1 || history.getPeak(id) > 1);
  const shownRules = onlyMatched ? matchedRules : shown.rules;
  return (
    <section className="gov-view" aria-label="Governor">
      <div className="gov-cards">
        <BudgetCard meters={shown.meters} />
        <ForcedEndCard shown={shown} navigate={navigate} />
        <RefusalsCard shown={shown} />
      </div>
      <div className="gov-rules-head">
        <h2>Rules</h2>
        <p>
          {shown.rules.length === 0
            ? `The preset ${shown.preset} has no rules; it uses its own states${shown.trackerState === null ? '' : ` and is in ${shown.trackerState}`}.`
            : `${formatCount(matchedRules.length, 'rule')} of ${shown.rules.length} ${matchedRules.length === 1 ? 'has' : 'have'} matched; counts are those after event ${at}.`}
        </p>
        {shown.rules.length > 0 && (
          <label className="gov-check">
            <input
              type="checkbox"
              checked={!onlyMatched}
              onChange={(event) => setOnlyMatched(!event.target.checked)}
            />
            all rules
          </label>
        )}
      </div>
      {shown.rules.length > 0 && shownRules.length === 0 && (
        <EmptyState title="No rule has matched">
          <p>Each rule detects one kind of loop. Select “all rules” to see them.</p>
        </EmptyState>
      )}
      <ul className="gov-rules">
        {shownRules.map((rule) => (
          <RuleRow key={rule.id} rule={rule} {...{ history, processed, index, timeline, navigate }} />
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
          No budgets are set. Set them with <code>--max-…</code> or in the profile.
        </p>
      )}
      <dl className="gov-meters">
        {meters.map((meter) => (
          <div key={meter.name} className={meter.isUnlimited ? 'gov-meter free' : 'gov-meter'}>
            <dt>{meter.name}</dt>
            <dd>
              {!meter.isUnlimited && (
                <MeterBar share={meter.share} label={`${meter.name}: ${formatMeterPercent(meter.share)}`} />
              )}
              <span className="value">
                {meter.used} <span className="of">{meter.isUnlimited ? 'no limit' : `of ${meter.max}`}</span>
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
  navigate,
}: {
  readonly shown: GovernorViewModel;
  readonly navigate: SessionViewProps['navigate'];
}) {
  const { forcedEnd, verdictCount, latestVerdict, recoveries } = shown;
  return (
    <section className="gov-card" aria-label="Distance to a forced end">
      <h2>Distance to a forced end</h2>
      {forcedEnd === null ? (
        <p className="gov-quiet">No budget or rule is close to its limit.</p>
      ) : (
        <>
          <p className={`gov-end ${getShareSeverity(forcedEnd.share)}`}>
            {formatMeterPercent(Math.max(0, 1 - forcedEnd.share))} left
          </p>
          <MeterBar
            share={forcedEnd.share}
            label={`Distance to a forced end: ${formatMeterPercent(forcedEnd.share)} used`}
          />
          <p className="gov-quiet">
            closest limit: <strong>{forcedEnd.cause}</strong>, {forcedEnd.usage}
          </p>
        </>
      )}
      <p className="gov-said">
        {verdictCount === 0 ? 'No verdicts so far.' : `${formatCount(verdictCount, 'verdict')} so far.`}{' '}
        {latestVerdict !== null && (
          <button
            type="button"
            className="link"
            onClick={() => navigate({ view: 'why', seq: latestVerdict.seq })}
          >
            Last: {latestVerdict.rule} ({latestVerdict.response}) at event {latestVerdict.seq}
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
    <section className="gov-card" aria-label="Blocked calls">
      <h2>Blocked calls</h2>
      {refused.length === 0 && (
        <p className="gov-quiet">
          None. A blocked call stays blocked until another call brings a new result.
        </p>
      )}
      <ul className="gov-refusals">
        {refused.map(({ call, rule, reason, advice, requests }) => (
          <li key={call}>
            <strong>{rule}</strong>: {toSafeLine(reason)}
            <span className="gov-quiet">
              {requests === 0 ? 'not repeated since' : `repeated ${formatCount(requests, 'time')}`} · advice:{' '}
              {toSafeLine(advice)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type RuleRowProps = Pick<SessionViewProps, 'timeline' | 'navigate'> & {
  readonly rule: RuleProximity;
  readonly history: StateHistory;
  /** Number of events in the history, which is one mutable object that grows. */
  readonly processed: number;
  readonly index: number;
};

/** Shows one rule: how close it is to its next threshold, now and over time. */
function RuleRow({ rule, history, processed, index, timeline, navigate }: RuleRowProps) {
  const { id, rationale, count, next, thresholds, unit, share } = rule;
  const series = history.rules.get(id);
  const highestThreshold = Math.max(...thresholds.map(({ at }) => at), 1);
  const view: AxisView = { axis: 'events', from: 0, to: Math.max(1, timeline.length - 1), width: 600 };
  const lines = useMemo(
    () =>
      series === undefined
        ? []
        : [{ label: id, color: '--series-4', ...toPlotPoints(timeline, series, view) }],
    [series, id, timeline, timeline.length, processed],
  );
  const nextThreshold = next === null ? 'no higher threshold' : `${next.severity} at ${next.at}`;
  return (
    <li className={`gov-rule ${getShareSeverity(share)}`}>
      <div className="gov-rule-text">
        <h3>{id}</h3>
        <p className="gov-rule-now">
          <strong>{count}</strong> {count === 1 && unit === 'times' ? 'time' : unit},{' '}
          {count === 0 ? 'no matches' : nextThreshold}
        </p>
        <RuleLadder thresholds={thresholds} count={count} />
        <details>
          <summary>Rationale</summary>
          <p>{rationale}</p>
        </details>
      </div>
      <div className="gov-rule-plot">
        {lines.length > 0 && series !== undefined && (
          <Suspense fallback={<div className="plot-wait" />}>
            <LazyGovernorPlot
              label={`${id} over all events: ${getSeriesValue(series, index)} at the selected event`}
              lines={lines}
              from={view.from}
              to={view.to}
              height={64}
              gutter={34}
              formatValue={(value) => String(Math.round(value))}
              topMin={highestThreshold}
              limit={thresholds[0]?.at ?? 0}
              cursor={index}
              onSelect={(x) => {
                const selected = Math.min(Math.max(0, Math.round(x)), timeline.length - 1);
                navigate({ seq: timeline.entry(selected).seq });
              }}
            />
          </Suspense>
        )}
      </div>
    </li>
  );
}

/** Shows the thresholds of a rule, lowest first. */
function RuleLadder({ thresholds, count }: Pick<RuleProximity, 'thresholds' | 'count'>) {
  return (
    <ol className="gov-ladder" aria-label="Thresholds">
      {thresholds.map(({ severity, at }) => (
        <li key={severity} className={count >= at ? 'reached' : ''}>
          {severity} <span>at {at}</span>
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
