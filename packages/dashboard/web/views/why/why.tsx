import { useEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { SessionDecision } from '@pawl/core/projections';
import { formatLocalClock, formatCount } from '../../app/format.ts';
import type { VerdictFeedbackEntry } from '../../app/api-types.ts';
import { showErrorToast } from '../../app/widgets/toasts.tsx';
import { useKeys } from '../../app/use-keys.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { EmptyState } from '../../app/widgets/state-messages.tsx';
import { getSessionRules } from '../../app/session-rules.ts';
import { countUntilEvent } from '../../app/incremental-fold.ts';
import { getDecisionHistory, type VerdictDecision } from '../../app/session-decisions.ts';
import { getDecisionLabel, getDecisionTone, formatDecision, buildExplanation } from './why-model.ts';
import { WhyPanel } from './why-panel.tsx';
import './why.css';

type DecisionFilter = 'verdicts' | 'all decisions';

/** Explains the decisions up to the selected event, with the evidence and the effect of each. */
export function WhyView({ timeline, at, version, detail, api, navigate }: SessionViewProps) {
  const [filter, setFilter] = useState<DecisionFilter>('verdicts');
  const [feedback, mark] = useFeedback({ detail, api });
  const decisions = getDecisionHistory(timeline);
  const hasVerdicts = decisions.verdicts.length > 0;
  const all: readonly SessionDecision[] =
    filter === 'verdicts' && hasVerdicts ? decisions.verdicts : decisions.all;
  // The list is mutable; `version` changes when it grows.
  const listed = useMemo(() => all.slice(0, countUntilEvent(all, at)), [all, at, version]);
  const [selected, setSelected] = useState<SessionDecision | null>(null);
  const shown = selectShownDecision(listed, selected, at);
  const why = useMemo(
    () => (shown === null ? null : buildExplanation(timeline, shown, getSessionRules(timeline, detail))),
    [timeline, detail, shown, version],
  );
  const move = (offset: number): void => {
    const index = shown === null ? -1 : listed.indexOf(shown);
    const next = listed[Math.min(Math.max(index + offset, 0), listed.length - 1)];
    if (next !== undefined) setSelected(next);
  };
  useKeys('Why', [
    { keys: 'j', description: 'Next decision', run: () => move(1) },
    { keys: 'k', description: 'Previous decision', run: () => move(-1) },
  ]);
  if (decisions.all.length === 0) {
    return (
      <EmptyState title="No decisions yet">
        <p>Governor verdicts, blocked calls, retries and stops are listed here with their evidence.</p>
      </EmptyState>
    );
  }
  return (
    <section className="why-view" aria-label="Why">
      <div className="why-list">
        <div className="why-bar">
          <ToggleGroup
            label="Decisions"
            options={['verdicts', 'all decisions']}
            selected={hasVerdicts ? filter : 'all decisions'}
            onSelect={setFilter}
          />
          <span className="why-count">{formatCount(listed.length, 'decision')}</span>
        </div>
        <DecisionList decisions={listed} shown={shown} select={setSelected} feedback={feedback} />
      </div>
      {shown === null || why === null ? (
        <EmptyState title="No decisions up to this event">
          <p>
            The first decision is at event {all[0]?.seq}.{' '}
            <button type="button" className="link" onClick={() => navigate({ seq: all[0]?.seq ?? at })}>
              Go there
            </button>
          </p>
        </EmptyState>
      ) : (
        <WhyPanel
          key={`${shown.seq} ${shown.kind}`}
          decision={shown}
          explanation={why}
          navigate={navigate}
          feedback={getFeedbackControls(shown, feedback, mark)}
        />
      )}
    </section>
  );
}

/**
 * Returns the chosen decision if it was made by the selected event; else the decision at that event, or the last one.
 */
function selectShownDecision(
  listed: readonly SessionDecision[],
  selected: SessionDecision | null,
  at: number,
): SessionDecision | null {
  if (selected !== null && selected.seq <= at) return selected;
  return listed.findLast(({ seq }) => seq === at) ?? listed.at(-1) ?? null;
}

function getFeedbackControls(
  decision: SessionDecision,
  feedback: ReadonlyMap<string, FeedbackValue>,
  mark: FeedbackSender | null,
): Parameters<typeof WhyPanel>[0]['feedback'] {
  if (decision.kind !== 'verdict' || mark === null) return null;
  return { current: feedback.get(getDecisionKey(decision)) ?? null, send: (value) => mark(decision, value) };
}

type FeedbackValue = VerdictFeedbackEntry['mark'];
type FeedbackSender = (decision: VerdictDecision, mark: FeedbackValue | null) => void;

function getDecisionKey(decision: SessionDecision): string {
  return decision.kind === 'verdict' ? `${decision.seq} ${decision.verdict.rule}` : '';
}

/** Feedback on verdicts. The function is null if feedback cannot be stored, as for imported runs. */
function useFeedback({
  detail,
  api,
}: Pick<SessionViewProps, 'detail' | 'api'>): readonly [
  ReadonlyMap<string, FeedbackValue>,
  FeedbackSender | null,
] {
  const [feedback, setMarks] = useState<ReadonlyMap<string, FeedbackValue>>(() =>
    detail.kind === 'stored'
      ? new Map(detail.marks.map(({ seq, rule, mark }) => [`${seq} ${rule}`, mark]))
      : new Map(),
  );
  if (detail.kind !== 'stored') return [feedback, null];
  const sendFeedback = (decision: VerdictDecision, mark: FeedbackValue | null): void => {
    const before = feedback;
    const after = new Map(feedback);
    if (mark === null) after.delete(getDecisionKey(decision));
    else after.set(getDecisionKey(decision), mark);
    setMarks(after);
    api.mark(detail.id, { seq: decision.seq, rule: decision.verdict.rule }, mark).catch((error: unknown) => {
      setMarks(before);
      showErrorToast(error);
    });
  };
  return [feedback, sendFeedback];
}

type DecisionListProps = {
  readonly decisions: readonly SessionDecision[];
  readonly shown: SessionDecision | null;
  readonly select: (decision: SessionDecision) => void;
  readonly feedback: ReadonlyMap<string, FeedbackValue>;
};

function DecisionList({ decisions, shown, select, feedback }: DecisionListProps) {
  const box = useRef<HTMLDivElement>(null);
  const shownIndex = shown === null ? -1 : decisions.indexOf(shown);
  const virtual = useVirtualizer({
    count: decisions.length,
    getScrollElement: () => box.current,
    estimateSize: () => 62,
    overscan: 8,
  });
  useEffect(() => {
    if (shownIndex >= 0) virtual.scrollToIndex(shownIndex);
  }, [shownIndex, virtual]);
  return (
    <div ref={box} className="why-items" tabIndex={0} role="group" aria-label="Decisions">
      <ol style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const decision = decisions[index];
          if (decision === undefined) return null;
          const value = feedback.get(getDecisionKey(decision));
          return (
            <li key={index} style={{ transform: `translateY(${start}px)` }}>
              <button
                type="button"
                className={`why-item tone-${getDecisionTone(decision)}`}
                aria-current={decision === shown}
                onClick={() => select(decision)}
              >
                <span className="why-item-head">
                  <span className={`why-kind ${getDecisionSeverity(decision)}`}>
                    {getDecisionLabel(decision)}
                  </span>
                  <span className="why-seq">
                    event {decision.seq} · {formatLocalClock(decision.at)}
                  </span>
                  {value !== undefined && <span className={`why-given ${value}`}>{value}</span>}
                </span>
                <span className="why-item-text">{toSafeLine(formatDecision(decision), 160)}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function getDecisionSeverity(decision: SessionDecision): string {
  return decision.kind === 'verdict' ? decision.verdict.severity : '';
}
