import { useEffect, useState } from 'react';
import type { Api } from '../../app/api.ts';
import type { Approval, SessionRow } from '../../app/api-types.ts';
import { ago, counted } from '../../app/format.ts';
import { sessionAddress } from '../../app/route.ts';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import { useTitle } from '../../app/use-title.ts';
import { visibleLine } from '../../app/visible.ts';
import { Empty, Loading, Trouble } from '../../app/widgets/notes.tsx';
import { JsonView } from '../../app/widgets/json-view.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import { Decide } from './decide.tsx';
import './approvals.css';

type ApprovalsPageProps = { readonly api: Api; readonly rows: readonly SessionRow[] };

/** Every call of every run that waits for a person. */
export function ApprovalsPage({ api, rows }: ApprovalsPageProps) {
  const { approvals, error, reload } = useApprovals(api, rows);
  const now = useNow(1_000);
  useKeys('Approvals', [
    { keys: 'j', does: 'Next question', run: () => focusCard(1) },
    { keys: 'k', does: 'Question before', run: () => focusCard(-1) },
    { keys: 'y', does: 'Allow the one in focus', run: () => clickIn('button.good') },
    { keys: 'n', does: 'Deny the one in focus', run: () => clickIn('button.danger') },
  ]);
  useTitle('Approvals');
  return (
    <section className="approvals">
      <header className="page-header">
        <h1>Approvals</h1>
        {approvals !== null && <span className="faint">{counted(approvals.length, 'call')} waiting</span>}
      </header>
      {error !== null && <Trouble error={error} retry={reload} />}
      {approvals === null && error === null && <Loading what="what waits for you" />}
      {approvals?.length === 0 && (
        <Empty title="Nothing waits for you">
          <p>
            Calls that your rules say to ask about stand here, from every run, until somebody decides. A new
            one shows up by itself.
          </p>
        </Empty>
      )}
      {approvals?.map((approval) => (
        <ApprovalCard
          key={`${approval.session} ${approval.request} ${approval.callId}`}
          approval={approval}
          api={api}
          now={now}
          decided={reload}
        />
      ))}
    </section>
  );
}

const risks: Readonly<Record<Approval['risk'], string>> = {
  looks: 'only looks',
  changes: 'changes files',
  runs: 'runs a command',
  unknown: 'unknown tool',
};

type CardProps = {
  readonly approval: Approval;
  readonly api: Api;
  readonly now: number;
  readonly decided: () => void;
};

function ApprovalCard({ approval, api, now, decided }: CardProps) {
  const { session, goal, callId, request, tool, args, about, risk, since } = approval;
  return (
    <article
      className="approval tone-permission"
      tabIndex={0}
      aria-label={`${tool}, asked by ${goal ?? session}`}
    >
      <header>
        <code className="tool">{visibleLine(tool)}</code>
        <span className={`risk ${risk}`}>{risks[risk]}</span>
        <span className="faint">waits for {ago(since, now)}</span>
      </header>
      <p className="approval-goal">
        <a href={sessionAddress({ id: session })}>{visibleLine(goal ?? session, 160)}</a>
      </p>
      <div className="approval-about">
        <LongText text={about} mono lines={24} />
      </div>
      <details>
        <summary>Arguments as they came</summary>
        <JsonView value={args} />
      </details>
      <Decide
        callId={callId}
        request={request}
        send={async (command) => {
          await api.command(session, command);
        }}
        decided={decided}
      />
    </article>
  );
}

/** They are asked for anew whenever a run says that something else waits. */
function useApprovals(api: Api, rows: readonly SessionRow[]) {
  const [got, setGot] = useState<{ readonly approvals: readonly Approval[] | null; readonly error: unknown }>(
    {
      approvals: null,
      error: null,
    },
  );
  const [asked, setAsked] = useState(0);
  const sign = rows
    .filter(({ asks }) => asks > 0)
    .map(({ id, head }) => `${id} ${head}`)
    .join();
  useEffect(() => {
    const leaving = new AbortController();
    api.approvals(leaving.signal).then(
      ({ approvals }) => setGot({ approvals, error: null }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setGot((before) => ({ ...before, error }));
      },
    );
    return () => leaving.abort();
  }, [api, sign, asked]);
  return { ...got, reload: () => setAsked(asked + 1) };
}

function focusCard(by: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('.approval')];
  const place = cards.findIndex((card) => card.contains(document.activeElement));
  cards[Math.max(0, Math.min(cards.length - 1, place + by))]?.focus();
}

function clickIn(selector: string): void {
  document.activeElement?.closest('.approval')?.querySelector<HTMLElement>(selector)?.click();
}
