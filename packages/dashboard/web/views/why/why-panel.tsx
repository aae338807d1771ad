import { useState, type ReactNode } from 'react';
import type { SessionDecision } from '@pawl/core/projections';
import { formatLocalClock, formatCount } from '../../app/format.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { escapeUnsafeText, toSafeLine } from '../../app/safe-text.ts';
import { LongText } from '../../app/widgets/long-text.tsx';
import {
  getDecisionLabel,
  getDecisionTone,
  formatDecision,
  toReadableJson,
  type FollowingReply,
  type EvidenceItem,
  type ExplainedRule,
  type InjectedPrompt,
  type DecisionExplanation,
} from './why-model.ts';
import { diffTextRows } from './diff-model.ts';

type WhyPanelProps = {
  readonly decision: SessionDecision;
  readonly explanation: DecisionExplanation;
  readonly navigate: SessionViewProps['navigate'];
  /** Null if feedback cannot be stored. */
  readonly feedback: {
    readonly current: 'right' | 'wrong' | null;
    readonly send: (value: 'right' | 'wrong' | null) => void;
  } | null;
};

/** Explains one decision, from its causes to its effects. */
export function WhyPanel({ decision, explanation, navigate, feedback }: WhyPanelProps) {
  const { rule, others, evidence, counterEvidence, injectedPrompt, followingReply, denial } = explanation;
  return (
    <article
      className={`why-panel tone-${getDecisionTone(decision)}`}
      aria-label={toSafeLine(formatDecision(decision), 120)}
    >
      <header>
        <p className="why-eyebrow">
          <span className="why-kind">{getDecisionLabel(decision)}</span> at event{' '}
          <button
            type="button"
            className="link"
            onClick={() => navigate({ seq: decision.seq, view: 'events' })}
          >
            {decision.seq}
          </button>
          , {formatLocalClock(decision.at)}
        </p>
        <h2>{toSafeLine(formatDecision(decision), 400)}</h2>
        {feedback !== null && <FeedbackButtons {...feedback} />}
      </header>
      {denial !== null && (
        <WhySection title="Error returned to the model">
          <LongText text={denial.reason} />
          <LongText text={toReadableJson(denial.args)} mono />
          {denial.rule !== null && <p className="why-quiet">blocked by the rule {denial.rule}</p>}
        </WhySection>
      )}
      {rule !== null && <ThresholdScale rule={rule} />}
      {decision.kind === 'retry' && (
        <WhySection title="Attempts">
          <p>
            Attempt {decision.attempt} failed.{' '}
            {decision.until === null
              ? 'It was the last attempt.'
              : `The next attempt is due at ${formatLocalClock(decision.until)}.`}
          </p>
        </WhySection>
      )}
      {evidence.length > 0 && (
        <WhySection title={`Evidence: ${formatCount(evidence.length, 'event')}`}>
          <EvidenceList items={evidence} navigate={navigate} />
        </WhySection>
      )}
      {counterEvidence.length > 0 && (
        <WhySection title="Counter-evidence">
          <ul className="why-against">
            {counterEvidence.map((item) => (
              <li key={item.seq}>
                <button type="button" className="link" onClick={() => navigate({ seq: item.seq })}>
                  event {item.seq}
                </button>{' '}
                {item.tool} returned a new result: {toSafeLine(item.result, 120)}
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
      <InjectedPromptSection injectedPrompt={injectedPrompt} decision={decision} navigate={navigate} />
      <FollowingReplySection followingReply={followingReply} navigate={navigate} />
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

function FeedbackButtons({ current, send }: NonNullable<WhyPanelProps['feedback']>) {
  return (
    <div className="why-marking" role="group" aria-label="Was this verdict right?">
      <span>Was it right?</span>
      {(['right', 'wrong'] as const).map((each) => (
        <button
          key={each}
          type="button"
          className={`small ${each}`}
          aria-pressed={current === each}
          onClick={() => send(current === each ? null : each)}
        >
          {each === 'right' ? '✓ right' : '✗ wrong'}
        </button>
      ))}
    </div>
  );
}

/** Shows the match count of the rule on a scale with its thresholds. */
function ThresholdScale({
  rule: { id, rationale, unit, count, thresholds },
}: {
  readonly rule: ExplainedRule;
}) {
  const end = Math.max(count, ...thresholds.map(({ at }) => at)) * 1.08;
  const toPercent = (value: number): string => `${Math.min(100, (value / end) * 100)}%`;
  return (
    <WhySection title={`Rule ${id}`}>
      <p className="why-because">{rationale}</p>
      <div
        className="why-scale"
        role="img"
        aria-label={`${count} ${unit}. Thresholds: ${thresholds.map(({ severity, at }) => `${severity} at ${at}`).join(', ')}.`}
      >
        <span className="why-scale-fill" style={{ width: toPercent(count) }} />
        {thresholds.map(({ severity, at, isReached }) => (
          <span
            key={severity}
            className={isReached ? 'why-rung reached' : 'why-rung'}
            style={{ left: toPercent(at) }}
          >
            <span className="why-rung-name">
              {severity} {at}
            </span>
          </span>
        ))}
        <span className="why-scale-now" style={{ left: toPercent(count) }}>
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
}: Pick<DecisionExplanation, 'rule' | 'others'> & { readonly decision: SessionDecision }) {
  const response = decision.kind === 'verdict' ? decision.verdict.response.kind : null;
  const thresholds = rule?.thresholds.filter(({ isReached }) => !isReached) ?? [];
  if (thresholds.length + others.length === 0) return null;
  return (
    <WhySection title="Alternatives">
      <ul className="why-others">
        {thresholds.map(({ severity, at }) => (
          <li key={severity}>
            {rule?.id}: {severity} at {at}
            {response === null ? '' : `; the count was ${rule?.count}, so the response was ${response}`}
          </li>
        ))}
        {others.map(({ rule: id, count, next }) => (
          <li key={id}>
            {id} also matched: {count}
            {next === null ? ', no higher threshold' : `, ${next.severity} at ${next.at}`}
          </li>
        ))}
      </ul>
    </WhySection>
  );
}

/** Lists the evidence and shows two items side by side: the first and the last, unless the user selects others. */
function EvidenceList({
  items,
  navigate,
}: {
  readonly items: readonly EvidenceItem[];
  readonly navigate: SessionViewProps['navigate'];
}) {
  const [sides, setSides] = useState<readonly [number, number]>([0, items.length - 1]);
  const [left, right] = [items[sides[0]], items[sides[1]]];
  return (
    <>
      <ol className="why-proofs">
        {items.map((item, index) => (
          <li key={item.seq} className={item.isError ? 'error' : ''}>
            <button type="button" className="link" onClick={() => navigate({ seq: item.seq })}>
              {item.seq}
            </button>
            <code>
              {toSafeLine(item.tool, 40)} {toSafeLine(item.request.replaceAll(/\s+/gu, ' '), 90)}
            </code>
            <span className="why-came">{toSafeLine(item.result, 110)}</span>
            <span className="why-sides">
              {(['left', 'right'] as const).map((side, toPercent) => (
                <button
                  key={side}
                  type="button"
                  className="small"
                  aria-pressed={sides[toPercent] === index}
                  aria-label={`Show event ${item.seq} on the ${side}`}
                  onClick={() => setSides(toPercent === 0 ? [index, sides[1]] : [sides[0], index])}
                >
                  {side === 'left' ? '◧' : '◨'}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {left !== undefined && right !== undefined && items.length > 1 && (
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
        title="call"
        left={`${left.tool}\n${left.request}`}
        right={`${right.tool}\n${right.request}`}
      />
      <TextDiff title="result" left={left.result} right={right.result} />
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
            ? 'identical'
            : `${formatCount(differing, 'line')} ${differing === 1 ? 'differs' : 'differ'}`}
        </span>
      </h4>
      <div className="why-rows">
        {shown.map(({ left: leftLine, right: rightLine, isSame }, index) => (
          <div key={index} className={isSame ? 'why-row' : 'why-row differs'}>
            <pre className={leftLine === null ? 'none' : ''}>
              {leftLine === null ? '' : escapeUnsafeText(leftLine.slice(0, 2_000))}
            </pre>
            <pre className={rightLine === null ? 'none' : ''}>
              {rightLine === null ? '' : escapeUnsafeText(rightLine.slice(0, 2_000))}
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
  injectedPrompt,
  decision,
  navigate,
}: {
  readonly injectedPrompt: InjectedPrompt | null;
  readonly decision: SessionDecision;
  readonly navigate: SessionViewProps['navigate'];
}) {
  if (injectedPrompt === null)
    return decision.kind === 'stop' ? null : (
      <WhySection title="Added to the prompt">
        <p className="why-quiet">The model was not called isRepeatedCall.</p>
      </WhySection>
    );
  const { seq, advice, lastAnswer, mode } = injectedPrompt;
  const isEmpty = advice === null && lastAnswer === null && mode === null;
  return (
    <WhySection title="Added to the prompt">
      {isEmpty && <p className="why-quiet">Nothing.</p>}
      {advice !== null && <LongText text={advice} />}
      {lastAnswer !== null && <p>No tools, final answer requested: {toSafeLine(lastAnswer)}</p>}
      {mode !== null && (
        <p className="why-quiet">
          mode {mode.state}; possible next modes: {mode.next.length === 0 ? 'none' : mode.next.join(', ')}
        </p>
      )}
      <p className="why-quiet">
        requested by event {seq}:{' '}
        <button type="button" className="link" onClick={() => navigate({ seq, view: 'transcript' })}>
          show the exact prompt in the transcript
        </button>
      </p>
    </WhySection>
  );
}

function FollowingReplySection({
  followingReply,
  navigate,
}: {
  readonly followingReply: FollowingReply | null;
  readonly navigate: SessionViewProps['navigate'];
}) {
  if (followingReply === null) return null;
  const isRepeated = followingReply.calls.some((call) => call.isRepeated);
  return (
    <WhySection title="Next model reply">
      <p>
        <span className={isRepeated ? 'why-differs' : 'why-same'}>
          {isRepeated ? 'repeated call' : 'different reply'}
        </span>{' '}
        <button type="button" className="link" onClick={() => navigate({ seq: followingReply.seq })}>
          event {followingReply.seq}
        </button>
      </p>
      {followingReply.error !== null && <p className="why-error">{toSafeLine(followingReply.error, 400)}</p>}
      {followingReply.text.trim() !== '' && <LongText text={followingReply.text} lines={12} />}
      <ul className="why-calls">
        {followingReply.calls.map(({ tool, args, isRepeated: isRepeatedCall }, index) => (
          <li key={index}>
            <code>
              {toSafeLine(tool, 60)} {toSafeLine(args.replaceAll(/\s+/gu, ' '), 200)}
            </code>
            {isRepeatedCall && <span className="why-differs"> repeated</span>}
          </li>
        ))}
      </ul>
    </WhySection>
  );
}
