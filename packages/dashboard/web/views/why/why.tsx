import { useEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { formatLocalClock, formatCount } from '../../app/format.ts';
import type { VerdictFeedbackEntry } from '../../app/api-types.ts';
import { showErrorToast } from '../../app/toasts.tsx';
import { useKeys } from '../../app/use-keys.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { EmptyState } from '../../app/widgets/state-messages.tsx';
import { getSessionRules } from '../governor/session-rules.ts';
import { countUntilEvent } from '../timeline/incremental-fold.ts';
import { getDecisionHistory, type DecisionRecord } from './decisions-model.ts';
import { getDecisionLabel, getDecisionTone } from './decision-labels.ts';
import { WhyPanel } from './why-panel.tsx';
import { formatDecision, buildExplanation } from './why-model.ts';
import './why.css';

type DecisionFilter = 'verdicts' | 'all decisions';

/** Explains the decisions up to the selected event, with the evidence and the effect of each. */
export function WhyView({ track, at, version, detail, api, go }: SessionViewProps) {
  const [which, setWhich] = useState<DecisionFilter>('verdicts');
  const [marks, mark] = useFeedback({ detail, api });
  const decisions = getDecisionHistory(track);
  const hasVerdicts = decisions.verdicts.length > 0;
  const all: readonly DecisionRecord[] =
    which === 'verdicts' && hasVerdicts ? decisions.verdicts : decisions.all;
  // The list is mutable; `version` changes when it grows.
  const listed = useMemo(() => all.slice(0, countUntilEvent(all, at)), [all, at, version]);
  const [chosen, setChosen] = useState<DecisionRecord | null>(null);
  const shown = selectShownDecision(listed, chosen, at);
  const why = useMemo(
    () => (shown === null ? null : buildExplanation(track, shown, getSessionRules(track, detail))),
    [track, detail, shown, version],
  );
  const move = (by: number): void => {
    const place = shown === null ? -1 : listed.indexOf(shown);
    const next = listed[Math.min(Math.max(place + by, 0), listed.length - 1)];
    if (next !== undefined) setChosen(next);
  };
  useKeys('Why', [
    { keys: 'j', does: 'Next decision', run: () => move(1) },
    { keys: 'k', does: 'Previous decision', run: () => move(-1) },
  ]);
  if (decisions.all.length === 0) {
    return (
      <EmptyState title="Nothing had to be decided so far">
        <p>
          Verdicts of the governor, calls that were not run, retries and the end of the work stand here, each
          with what proves it.
        </p>
      </EmptyState>
    );
  }
  return (
    <section className="why-view" aria-label="Why">
      <div className="why-list">
        <div className="why-bar">
          <ToggleGroup
            label="Which decisions"
            of={['verdicts', 'all decisions']}
            chosen={hasVerdicts ? which : 'all decisions'}
            choose={setWhich}
          />
          <span className="why-count">{formatCount(listed.length, 'decision')}</span>
        </div>
        <DecisionList decisions={listed} shown={shown} choose={setChosen} marks={marks} />
      </div>
      {shown === null || why === null ? (
        <EmptyState title="Nothing was decided up to here">
          <p>
            The first decision is at event {all[0]?.seq}.{' '}
            <button type="button" className="link" onClick={() => go({ seq: all[0]?.seq ?? at })}>
              Go there
            </button>
          </p>
        </EmptyState>
      ) : (
        <WhyPanel
          key={`${shown.seq} ${shown.kind}`}
          decision={shown}
          why={why}
          go={go}
          marking={getFeedbackControls(shown, marks, mark)}
        />
      )}
    </section>
  );
}

/**
 * Returns the chosen decision if it was made by the selected event; else the decision at that event, or the last one.
 */
function selectShownDecision(
  listed: readonly DecisionRecord[],
  chosen: DecisionRecord | null,
  at: number,
): DecisionRecord | null {
  if (chosen !== null && chosen.seq <= at) return chosen;
  return listed.findLast(({ seq }) => seq === at) ?? listed.at(-1) ?? null;
}

function getFeedbackControls(
  decision: DecisionRecord,
  marks: ReadonlyMap<string, FeedbackValue>,
  mark: FeedbackSender | null,
): Parameters<typeof WhyPanel>[0]['marking'] {
  if (decision.kind !== 'verdict' || mark === null) return null;
  return { now: marks.get(getDecisionKey(decision)) ?? null, mark: (given) => mark(decision, given) };
}

type FeedbackValue = VerdictFeedbackEntry['mark'];
type VerdictDecision = Extract<DecisionRecord, { readonly kind: 'verdict' }>;
type FeedbackSender = (decision: VerdictDecision, mark: FeedbackValue | null) => void;

function getDecisionKey(decision: DecisionRecord): string {
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
  const [marks, setMarks] = useState<ReadonlyMap<string, FeedbackValue>>(() =>
    detail.kind === 'kept'
      ? new Map(detail.marks.map(({ seq, rule, mark }) => [`${seq} ${rule}`, mark]))
      : new Map(),
  );
  if (detail.kind !== 'kept') return [marks, null];
  const give = (decision: VerdictDecision, mark: FeedbackValue | null): void => {
    const before = marks;
    const after = new Map(marks);
    if (mark === null) after.delete(getDecisionKey(decision));
    else after.set(getDecisionKey(decision), mark);
    setMarks(after);
    api.mark(detail.id, { seq: decision.seq, rule: decision.verdict.rule }, mark).catch((error: unknown) => {
      setMarks(before);
      showErrorToast(error);
    });
  };
  return [marks, give];
}

type DecisionListProps = {
  readonly decisions: readonly DecisionRecord[];
  readonly shown: DecisionRecord | null;
  readonly choose: (decision: DecisionRecord) => void;
  readonly marks: ReadonlyMap<string, FeedbackValue>;
};

function DecisionList({ decisions, shown, choose, marks }: DecisionListProps) {
  const box = useRef<HTMLDivElement>(null);
  const place = shown === null ? -1 : decisions.indexOf(shown);
  const virtual = useVirtualizer({
    count: decisions.length,
    getScrollElement: () => box.current,
    estimateSize: () => 62,
    overscan: 8,
  });
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place);
  }, [place, virtual]);
  return (
    <div ref={box} className="why-items" tabIndex={0} role="group" aria-label="Decisions">
      <ol style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const decision = decisions[index];
          if (decision === undefined) return null;
          const given = marks.get(getDecisionKey(decision));
          return (
            <li key={index} style={{ transform: `translateY(${start}px)` }}>
              <button
                type="button"
                className={`why-item tone-${getDecisionTone(decision)}`}
                aria-current={decision === shown}
                onClick={() => choose(decision)}
              >
                <span className="why-item-head">
                  <span className={`why-kind ${getDecisionSeverity(decision)}`}>
                    {getDecisionLabel(decision)}
                  </span>
                  <span className="why-seq">
                    event {decision.seq} · {formatLocalClock(decision.at)}
                  </span>
                  {given !== undefined && <span className={`why-given ${given}`}>{given}</span>}
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

function getDecisionSeverity(decision: DecisionRecord): string {
  return decision.kind === 'verdict' ? decision.verdict.level : '';
}
