import { useState, type ReactNode } from 'react';
import { formatLocalClock, formatCount } from '../../app/format.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { escapeUnsafeText, toSafeLine } from '../../app/safe-text.ts';
import { LongText } from '../../app/widgets/long-text.tsx';
import { getDecisionLabel, getDecisionTone } from './decision-labels.ts';
import type { DecisionRecord } from './decisions-model.ts';
import { diffTextRows } from './diff-model.ts';
import {
  formatDecision,
  toReadableJson,
  type FollowingReply,
  type EvidenceItem,
  type ExplainedRule,
  type InjectedPrompt,
  type DecisionExplanation,
} from './why-model.ts';

type WhyPanelProps = {
  readonly decision: DecisionRecord;
  readonly why: DecisionExplanation;
  readonly go: SessionViewProps['go'];
  /** Null if feedback cannot be stored. */
  readonly marking: {
    readonly now: 'right' | 'wrong' | null;
    readonly mark: (given: 'right' | 'wrong' | null) => void;
  } | null;
};

/** Explains one decision, from its causes to its effects. */
export function WhyPanel({ decision, why, go, marking }: WhyPanelProps) {
  const { rule, others, evidence, counterEvidence, told, next, denial } = why;
  return (
    <article
      className={`why-panel tone-${getDecisionTone(decision)}`}
      aria-label={toSafeLine(formatDecision(decision), 120)}
    >
      <header>
        <p className="why-eyebrow">
          <span className="why-kind">{getDecisionLabel(decision)}</span> at event{' '}
          <button type="button" className="link" onClick={() => go({ seq: decision.seq, view: 'events' })}>
            {decision.seq}
          </button>
          , {formatLocalClock(decision.at)}
        </p>
        <h2>{toSafeLine(formatDecision(decision), 400)}</h2>
        {marking !== null && <FeedbackButtons {...marking} />}
      </header>
      {denial !== null && (
        <WhySection title="What the model was told instead of a result">
          <LongText text={denial.reason} />
          <LongText text={toReadableJson(denial.args)} mono />
          {denial.rule !== null && <p className="why-quiet">refused by the rule {denial.rule}</p>}
        </WhySection>
      )}
      {rule !== null && <ThresholdScale rule={rule} />}
      {decision.kind === 'retry' && (
        <WhySection title="Tries">
          <p>
            Try {decision.attempt} failed.{' '}
            {decision.until === null
              ? 'It was the last.'
              : `The next is due at ${formatLocalClock(decision.until)}.`}
          </p>
        </WhySection>
      )}
      {evidence.length > 0 && (
        <WhySection title={`What proves it: ${formatCount(evidence.length, 'event')}`}>
          <EvidenceList proofs={evidence} go={go} />
        </WhySection>
      )}
      {counterEvidence.length > 0 && (
        <WhySection title="What speaks against it">
          <ul className="why-against">
            {counterEvidence.map((proof) => (
              <li key={proof.seq}>
                <button type="button" className="link" onClick={() => go({ seq: proof.seq })}>
                  event {proof.seq}
                </button>{' '}
                {proof.tool} brought something new: {toSafeLine(proof.came, 120)}
              </li>
            ))}
          </ul>
        </WhySection>
      )}
      <OtherOutcomes rule={rule} others={others} decision={decision} />
      {decision.kind === 'verdict' && decision.verdict.advice !== '' && (
        <WhySection title="Advice">
          <blockquote>{escapeUnsafeText(decision.verdict.advice)}</blockquote>
        </WhySection>
      )}
      <InjectedPromptSection told={told} decision={decision} go={go} />
      <FollowingReplySection next={next} go={go} />
    </article>
  );
}

function WhySection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="why-part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function FeedbackButtons({ now, mark }: NonNullable<WhyPanelProps['marking']>) {
  return (
    <div className="why-marking" role="group" aria-label="Was this verdict right?">
      <span>Was it right?</span>
      {(['right', 'wrong'] as const).map((each) => (
        <button
          key={each}
          type="button"
          className={`small ${each}`}
          aria-pressed={now === each}
          onClick={() => mark(now === each ? null : each)}
        >
          {each === 'right' ? '✓ right' : '✗ wrong'}
        </button>
      ))}
    </div>
  );
}

/** Shows the match count of the rule on a scale with its thresholds. */
function ThresholdScale({ rule: { id, because, unit, count, rungs } }: { readonly rule: ExplainedRule }) {
  const end = Math.max(count, ...rungs.map(({ at }) => at)) * 1.08;
  const place = (value: number): string => `${Math.min(100, (value / end) * 100)}%`;
  return (
    <WhySection title={`The rule ${id}`}>
      <p className="why-because">{because}</p>
      <div
        className="why-scale"
        role="img"
        aria-label={`Seen ${count} ${unit}. ${rungs.map(({ level, at }) => `${level} at ${at}`).join(', ')}.`}
      >
        <span className="why-scale-fill" style={{ width: place(count) }} />
        {rungs.map(({ level, at, isReached }) => (
          <span
            key={level}
            className={isReached ? 'why-rung reached' : 'why-rung'}
            style={{ left: place(at) }}
          >
            <span className="why-rung-name">
              {level} {at}
            </span>
          </span>
        ))}
        <span className="why-scale-now" style={{ left: place(count) }}>
          {count}
        </span>
      </div>
    </WhySection>
  );
}

function OtherOutcomes({
  rule,
  others,
  decision,
}: Pick<DecisionExplanation, 'rule' | 'others'> & { readonly decision: DecisionRecord }) {
  const done = decision.kind === 'verdict' ? decision.verdict.response.kind : null;
  const rungs = rule?.rungs.filter(({ isReached }) => !isReached) ?? [];
  if (rungs.length + others.length === 0) return null;
  return (
    <WhySection title="What else could have happened">
      <ul className="why-others">
        {rungs.map(({ level, at }) => (
          <li key={level}>
            {rule?.id} would {level} at {at}
            {done === null ? '' : `; it came to ${rule?.count}, so the answer was to ${done}`}
          </li>
        ))}
        {others.map(({ rule: id, count, next }) => (
          <li key={id}>
            {id} saw {count} too
            {next === null ? ', and has nothing left to do' : `, and would ${next.level} at ${next.at}`}
          </li>
        ))}
      </ul>
    </WhySection>
  );
}

/** Lists the evidence and shows two items side by side: the first and the last, unless the user selects others. */
function EvidenceList({
  proofs,
  go,
}: {
  readonly proofs: readonly EvidenceItem[];
  readonly go: SessionViewProps['go'];
}) {
  const [sides, setSides] = useState<readonly [number, number]>([0, proofs.length - 1]);
  const [left, right] = [proofs[sides[0]], proofs[sides[1]]];
  return (
    <>
      <ol className="why-proofs">
        {proofs.map((proof, index) => (
          <li key={proof.seq} className={proof.isError ? 'error' : ''}>
            <button type="button" className="link" onClick={() => go({ seq: proof.seq })}>
              {proof.seq}
            </button>
            <code>
              {toSafeLine(proof.tool, 40)} {toSafeLine(proof.asked.replaceAll(/\s+/gu, ' '), 90)}
            </code>
            <span className="why-came">{toSafeLine(proof.came, 110)}</span>
            <span className="why-sides">
              {(['left', 'right'] as const).map((side, place) => (
                <button
                  key={side}
                  type="button"
                  className="small"
                  aria-pressed={sides[place] === index}
                  aria-label={`Show event ${proof.seq} on the ${side}`}
                  onClick={() => setSides(place === 0 ? [index, sides[1]] : [sides[0], index])}
                >
                  {side === 'left' ? '◧' : '◨'}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {left !== undefined && right !== undefined && proofs.length > 1 && (
        <EvidenceComparison left={left} right={right} />
      )}
    </>
  );
}

function EvidenceComparison({ left, right }: { readonly left: EvidenceItem; readonly right: EvidenceItem }) {
  return (
    <div className="why-diff">
      <div className="why-diff-head">
        <span>event {left.seq}</span>
        <span>event {right.seq}</span>
      </div>
      <TextDiff
        title="what was asked for"
        left={`${left.tool}\n${left.asked}`}
        right={`${right.tool}\n${right.asked}`}
      />
      <TextDiff title="what came of it" left={left.came} right={right.came} />
    </div>
  );
}

const shownDiffRows = 40;

function TextDiff({
  title,
  left,
  right,
}: {
  readonly title: string;
  readonly left: string;
  readonly right: string;
}) {
  const [isWhole, setWhole] = useState(false);
  const rows = diffTextRows(left, right);
  const differing = rows.filter(({ isSame }) => !isSame).length;
  const shown = isWhole ? rows : rows.slice(0, shownDiffRows);
  return (
    <section className="why-diff-part">
      <h4>
        {title}{' '}
        <span className={differing === 0 ? 'why-same' : 'why-differs'}>
          {differing === 0
            ? 'the same'
            : `${formatCount(differing, 'line')} ${differing === 1 ? 'differs' : 'differ'}`}
        </span>
      </h4>
      <div className="why-rows">
        {shown.map(({ left: mine, right: yours, isSame }, index) => (
          <div key={index} className={isSame ? 'why-row' : 'why-row differs'}>
            <pre className={mine === null ? 'none' : ''}>
              {mine === null ? '' : escapeUnsafeText(mine.slice(0, 2_000))}
            </pre>
            <pre className={yours === null ? 'none' : ''}>
              {yours === null ? '' : escapeUnsafeText(yours.slice(0, 2_000))}
            </pre>
          </div>
        ))}
      </div>
      {rows.length > shownDiffRows && (
        <button type="button" className="link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${rows.length} lines`}
        </button>
      )}
    </section>
  );
}

function InjectedPromptSection({
  told,
  decision,
  go,
}: {
  readonly told: InjectedPrompt | null;
  readonly decision: DecisionRecord;
  readonly go: SessionViewProps['go'];
}) {
  if (told === null)
    return decision.kind === 'stop' ? null : (
      <WhySection title="What was put into the prompt">
        <p className="why-quiet">The model was not asked any more.</p>
      </WhySection>
    );
  const { seq, advice, lastAnswer, mode } = told;
  const isNothing = advice === null && lastAnswer === null && mode === null;
  return (
    <WhySection title="What was put into the prompt">
      {isNothing && <p className="why-quiet">Nothing besides the conversation.</p>}
      {advice !== null && <LongText text={advice} />}
      {lastAnswer !== null && <p>No tools, this was to be the last answer: {toSafeLine(lastAnswer)}</p>}
      {mode !== null && (
        <p className="why-quiet">
          the mode {mode.state}; from there it may go to{' '}
          {mode.next.length === 0 ? 'nowhere' : mode.next.join(', ')}
        </p>
      )}
      <p className="why-quiet">
        asked by event {seq}:{' '}
        <button type="button" className="link" onClick={() => go({ seq, view: 'transcript' })}>
          see the exact prompt in the transcript
        </button>
      </p>
    </WhySection>
  );
}

function FollowingReplySection({
  next,
  go,
}: {
  readonly next: FollowingReply | null;
  readonly go: SessionViewProps['go'];
}) {
  if (next === null) return null;
  const isRepeated = next.calls.some((call) => call.isRepeated);
  return (
    <WhySection title="What the model did next">
      <p>
        <span className={isRepeated ? 'why-differs' : 'why-same'}>
          {isRepeated ? 'the same again' : 'something else'}
        </span>{' '}
        <button type="button" className="link" onClick={() => go({ seq: next.seq })}>
          event {next.seq}
        </button>
      </p>
      {next.error !== null && <p className="why-error">{toSafeLine(next.error, 400)}</p>}
      {next.text.trim() !== '' && <LongText text={next.text} lines={12} />}
      <ul className="why-calls">
        {next.calls.map(({ tool, args, isRepeated: again }, index) => (
          <li key={index}>
            <code>
              {toSafeLine(tool, 60)} {toSafeLine(args.replaceAll(/\s+/gu, ' '), 200)}
            </code>
            {again && <span className="why-differs"> asked for before</span>}
          </li>
        ))}
      </ul>
    </WhySection>
  );
}
