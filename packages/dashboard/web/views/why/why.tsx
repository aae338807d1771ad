import { useEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { clockTime, counted } from '../../app/format.ts';
import type { Mark } from '../../app/api-types.ts';
import { toastError } from '../../app/toasts.tsx';
import { useKeys } from '../../app/use-keys.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { visibleLine } from '../../app/visible.ts';
import { Either } from '../../app/widgets/either.tsx';
import { Empty } from '../../app/widgets/notes.tsx';
import { rulesOf } from '../governor/rules-of.ts';
import { countUpTo } from '../timeline/kept-up.ts';
import { decisionsOf, type Decision } from './decisions-model.ts';
import { kindText, toneOf } from './decision-words.ts';
import { WhyPanel } from './why-panel.tsx';
import { decisionText, whyOf } from './why-model.ts';
import './why.css';

type Which = 'verdicts' | 'all decisions';

/** Why things went as they did: each decision up to the event looked at, with its proof and what came of it. */
export function WhyView({ track, at, version, detail, api, go }: SessionViewProps) {
  const [which, setWhich] = useState<Which>('verdicts');
  const [marks, mark] = useMarks({ detail, api });
  const decisions = decisionsOf(track);
  const hasVerdicts = decisions.verdicts.length > 0;
  const all: readonly Decision[] = which === 'verdicts' && hasVerdicts ? decisions.verdicts : decisions.all;
  // The list is one that grows; the version tells when it has.
  const listed = useMemo(() => all.slice(0, countUpTo(all, at)), [all, at, version]);
  const [chosen, setChosen] = useState<Decision | null>(null);
  const shown = shownOf(listed, chosen, at);
  const why = useMemo(
    () => (shown === null ? null : whyOf(track, shown, rulesOf(track, detail))),
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
      <Empty title="Nothing had to be decided so far">
        <p>
          Verdicts of the governor, calls that were not run, retries and the end of the work stand here, each
          with what proves it.
        </p>
      </Empty>
    );
  }
  return (
    <section className="why-view" aria-label="Why">
      <div className="why-list">
        <div className="why-bar">
          <Either
            label="Which decisions"
            of={['verdicts', 'all decisions']}
            chosen={hasVerdicts ? which : 'all decisions'}
            choose={setWhich}
          />
          <span className="why-count">{counted(listed.length, 'decision')}</span>
        </div>
        <DecisionList decisions={listed} shown={shown} choose={setChosen} marks={marks} />
      </div>
      {shown === null || why === null ? (
        <Empty title="Nothing was decided up to here">
          <p>
            The first decision is at event {all[0]?.seq}.{' '}
            <button type="button" className="link" onClick={() => go({ seq: all[0]?.seq ?? at })}>
              Go there
            </button>
          </p>
        </Empty>
      ) : (
        <WhyPanel
          key={`${shown.seq} ${shown.kind}`}
          decision={shown}
          why={why}
          go={go}
          marking={markingOf(shown, marks, mark)}
        />
      )}
    </section>
  );
}

/** What was chosen, as long as it has happened by then; else what happened right there, or last. */
function shownOf(listed: readonly Decision[], chosen: Decision | null, at: number): Decision | null {
  if (chosen !== null && chosen.seq <= at) return chosen;
  return listed.findLast(({ seq }) => seq === at) ?? listed.at(-1) ?? null;
}

function markingOf(
  decision: Decision,
  marks: ReadonlyMap<string, Marking>,
  mark: Give | null,
): Parameters<typeof WhyPanel>[0]['marking'] {
  if (decision.kind !== 'verdict' || mark === null) return null;
  return { now: marks.get(keyOf(decision)) ?? null, mark: (given) => mark(decision, given) };
}

type Marking = Mark['mark'];
type VerdictDecision = Extract<Decision, { readonly kind: 'verdict' }>;
type Give = (decision: VerdictDecision, mark: Marking | null) => void;

function keyOf(decision: Decision): string {
  return decision.kind === 'verdict' ? `${decision.seq} ${decision.verdict.rule}` : '';
}

/** What people think of the verdicts. Null instead of a function where nobody keeps it, as for imported runs. */
function useMarks({
  detail,
  api,
}: Pick<SessionViewProps, 'detail' | 'api'>): readonly [ReadonlyMap<string, Marking>, Give | null] {
  const [marks, setMarks] = useState<ReadonlyMap<string, Marking>>(() =>
    detail.kind === 'kept'
      ? new Map(detail.marks.map(({ seq, rule, mark }) => [`${seq} ${rule}`, mark]))
      : new Map(),
  );
  if (detail.kind !== 'kept') return [marks, null];
  const give = (decision: VerdictDecision, mark: Marking | null): void => {
    const before = marks;
    const after = new Map(marks);
    if (mark === null) after.delete(keyOf(decision));
    else after.set(keyOf(decision), mark);
    setMarks(after);
    api.mark(detail.id, { seq: decision.seq, rule: decision.verdict.rule }, mark).catch((error: unknown) => {
      setMarks(before);
      toastError(error);
    });
  };
  return [marks, give];
}

type DecisionListProps = {
  readonly decisions: readonly Decision[];
  readonly shown: Decision | null;
  readonly choose: (decision: Decision) => void;
  readonly marks: ReadonlyMap<string, Marking>;
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
          const given = marks.get(keyOf(decision));
          return (
            <li key={index} style={{ transform: `translateY(${start}px)` }}>
              <button
                type="button"
                className={`why-item tone-${toneOf(decision)}`}
                aria-current={decision === shown}
                onClick={() => choose(decision)}
              >
                <span className="why-item-head">
                  <span className={`why-kind ${gravityOf(decision)}`}>{kindText(decision)}</span>
                  <span className="why-seq">
                    event {decision.seq} · {clockTime(decision.at)}
                  </span>
                  {given !== undefined && <span className={`why-given ${given}`}>{given}</span>}
                </span>
                <span className="why-item-text">{visibleLine(decisionText(decision), 160)}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function gravityOf(decision: Decision): string {
  return decision.kind === 'verdict' ? decision.verdict.level : '';
}
