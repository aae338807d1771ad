import { useEffect, useState } from 'react';
import type { ApiClient } from '../../app/api.ts';
import type { ApprovalRequest, SessionListItem } from '../../app/api-types.ts';
import { formatTimeAgo, formatCount } from '../../app/format.ts';
import { formatSessionAddress } from '../../app/page-route.ts';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import { useTitle } from '../../app/router.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { EmptyState, LoadingState, ErrorMessage } from '../../app/widgets/state-messages.tsx';
import { JsonView } from '../../app/widgets/json-view.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import { ApprovalDecision } from './approval-decision.tsx';
import './approvals.css';

type ApprovalsPageProps = { readonly api: ApiClient; readonly rows: readonly SessionListItem[] };

/** Lists the tool calls of all sessions that wait for approval. */
export function ApprovalsPage({ api, rows }: ApprovalsPageProps) {
  const { approvals, error, reload } = useApprovals(api, rows);
  const now = useNow(1_000);
  useKeys('Approvals', [
    { keys: 'j', description: 'Next call', run: () => focusCard(1) },
    { keys: 'k', description: 'Previous call', run: () => focusCard(-1) },
    { keys: 'y', description: 'Allow the focused call', run: () => clickInFocusedCard('button.good') },
    { keys: 'n', description: 'Deny the focused call', run: () => clickInFocusedCard('button.danger') },
  ]);
  useTitle('Approvals');
  return (
    <section className="approvals">
      <header className="page-header">
        <h1>Approvals</h1>
        {approvals !== null && <span className="faint">{formatCount(approvals.length, 'call')} waiting</span>}
      </header>
      {error !== null && <ErrorMessage error={error} retry={reload} />}
      {approvals === null && error === null && <LoadingState what="approvals" />}
      {approvals?.length === 0 && (
        <EmptyState title="Nothing is waiting for you">
          <p>
            Tool calls of all runs that require approval are listed here until you decide. New ones appear
            automatically.
          </p>
        </EmptyState>
      )}
      {approvals?.map((approval) => (
        <ApprovalCard
          key={`${approval.session} ${approval.request} ${approval.callId}`}
          approval={approval}
          api={api}
          now={now}
          onDecided={reload}
        />
      ))}
    </section>
  );
}

const riskLabels: Readonly<Record<ApprovalRequest['risk'], string>> = {
  looks: 'read-only',
  changes: 'changes files',
  runs: 'runs a command',
  unknown: 'unknown tool',
};

type ApprovalCardProps = {
  readonly approval: ApprovalRequest;
  readonly api: ApiClient;
  readonly now: number;
  readonly onDecided: () => void;
};

function ApprovalCard({ approval, api, now, onDecided: decided }: ApprovalCardProps) {
  const { session, goal, callId, request, tool, args, about, risk, since } = approval;
  return (
    <article
      className="approval tone-permission"
      tabIndex={0}
      aria-label={`${tool}, requested by ${goal ?? session}`}
    >
      <header>
        <code className="tool">{toSafeLine(tool)}</code>
        <span className={`risk ${risk}`}>{riskLabels[risk]}</span>
        <span className="faint">waiting for {formatTimeAgo(since, now)}</span>
      </header>
      <p className="approval-goal">
        <a href={formatSessionAddress({ id: session })}>{toSafeLine(goal ?? session, 160)}</a>
      </p>
      <div className="approval-about">
        <LongText text={about} mono lines={24} />
      </div>
      <details>
        <summary>Raw arguments</summary>
        <JsonView value={args} />
      </details>
      <ApprovalDecision
        callId={callId}
        request={request}
        send={async (command) => {
          await api.command(session, command);
        }}
        onDecided={decided}
      />
    </article>
  );
}

/** Reloads the approvals whenever a session with pending calls changes. */
function useApprovals(api: ApiClient, rows: readonly SessionListItem[]) {
  const [result, setResult] = useState<{
    readonly approvals: readonly ApprovalRequest[] | null;
    readonly error: unknown;
  }>({
    approvals: null,
    error: null,
  });
  const [reloads, setReloads] = useState(0);
  const version = rows
    .filter(({ asks }) => asks > 0)
    .map(({ id, head }) => `${id} ${head}`)
    .join();
  useEffect(() => {
    const aborting = new AbortController();
    api.approvals(aborting.signal).then(
      ({ approvals }) => setResult({ approvals, error: null }),
      (error: unknown) => {
        if (!aborting.signal.aborted) setResult((before) => ({ ...before, error }));
      },
    );
    return () => aborting.abort();
  }, [api, version, reloads]);
  return { ...result, reload: () => setReloads(reloads + 1) };
}

function focusCard(offset: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('.approval')];
  const index = cards.findIndex((card) => card.contains(document.activeElement));
  cards[Math.max(0, Math.min(cards.length - 1, index + offset))]?.focus();
}

function clickInFocusedCard(selector: string): void {
  document.activeElement?.closest('.approval')?.querySelector<HTMLElement>(selector)?.click();
}
