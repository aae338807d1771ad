import { useEffect, useState, type ReactNode } from 'react';
import type { FleetStatus } from '../../app/api-types.ts';
import { formatTimeAgo, formatAmount, formatCount, formatElapsedTime } from '../../app/format.ts';
import { formatSessionAddress } from '../../app/page-route.ts';
import { useNow } from '../../app/use-now.ts';
import { useTitle } from '../../app/router.ts';
import type { PageProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { LoadingState, ErrorMessage } from '../../app/widgets/state-messages.tsx';
import { computeFleetTotals, listFleetProblems } from './fleet-model.ts';
import './fleet.css';

const fleetPollMs = 2_000;

/** Shows the workers, queues, leases and dead letters of all sessions. */
export function FleetPage({ api }: PageProps) {
  const [fleet, setFleet] = useState<FleetStatus | null>(null);
  const [error, setError] = useState<unknown>(null);
  useTitle('Fleet');
  useEffect(() => {
    const aborting = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = (): void => {
      api
        .fleet(aborting.signal)
        .then(
          (now) => {
            setFleet(now);
            setError(null);
          },
          (reason: unknown) => {
            if (!aborting.signal.aborted) setError(reason);
          },
        )
        .finally(() => {
          if (!aborting.signal.aborted) timer = setTimeout(poll, fleetPollMs);
        });
    };
    poll();
    return () => {
      aborting.abort();
      clearTimeout(timer);
    };
  }, [api]);
  return (
    <div className="wide-page fleet-page">
      <header className="page-header">
        <h1>Fleet</h1>
        <a className="end" href="/metrics">
          Prometheus metrics
        </a>
      </header>
      {error !== null && <ErrorMessage error={error} />}
      {fleet === null ? error === null && <LoadingState what="the fleet" /> : <FleetOverview fleet={fleet} />}
    </div>
  );
}

function FleetOverview({ fleet }: { readonly fleet: FleetStatus }) {
  const { store, leases, held } = fleet;
  const problems = listFleetProblems(fleet);
  return (
    <>
      <p className="fleet-store">
        Sessions are stored in <strong>{storeNames[store.kind]}</strong>
        {store.where !== null && (
          <>
            {' '}
            at <code>{toSafeLine(store.where, 120)}</code>
          </>
        )}
      </p>
      {problems.length > 0 && (
        <div role="status">
          <ul className="fleet-worries">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
      <FleetNumbers fleet={fleet} />
      {store.kind === 'redis' ? <QueueTables fleet={fleet} /> : <SingleMachineNote />}
      <FleetTable title="Leases" empty="No session is running." columns={['session', 'owner', 'owner state']}>
        {leases.map(({ session, owner, state }) => (
          <tr key={session}>
            <th scope="row">
              <SessionLink id={session} />
            </th>
            <td>{toSafeLine(owner, 120)}</td>
            <td className={state === 'gone' ? 'bad' : ''}>{state}</td>
          </tr>
        ))}
      </FleetTable>
      {held.length > 0 && (
        <p className="fleet-held">
          {formatCount(held.length, 'session')} run by this server:{' '}
          {held.map((id) => (
            <SessionLink key={id} id={id} />
          ))}
        </p>
      )}
    </>
  );
}

function FleetNumbers({ fleet }: { readonly fleet: FleetStatus }) {
  const { rates, held, store } = fleet;
  const totals = computeFleetTotals(fleet);
  return (
    <dl className="fleet-numbers">
      <FleetNumber name="events per minute" value={rates.events} />
      <FleetNumber name="model calls per minute" value={rates.modelCalls} />
      <FleetNumber name="tool calls per minute" value={rates.toolCalls} />
      <FleetNumber name="tokens per minute" value={rates.tokens} />
      <FleetNumber name="run by this server" value={held.length} />
      {store.kind === 'redis' && (
        <>
          <FleetNumber name="workers" value={totals.workers} isBad={totals.workers === 0} />
          <FleetNumber name="waiting" value={totals.waiting} />
          <FleetNumber name="active" value={totals.active} />
          <FleetNumber name="stalled" value={totals.stalled} isBad={totals.stalled > 0} />
          <FleetNumber name="parked" value={totals.parked} isBad={totals.parked > 0} />
        </>
      )}
    </dl>
  );
}

/** Tables that exist only with Redis: queues, workers and dead letters. */
function QueueTables({ fleet: { queues, workers, parked } }: { readonly fleet: FleetStatus }) {
  const now = useNow(5_000);
  return (
    <>
      <FleetTable
        title="Queues"
        empty="No queue has been used yet."
        columns={['tenant', 'waiting', 'delayed', 'active', 'stalled']}
      >
        {queues.map(({ tenant, waiting, delayed, active, stalled }) => (
          <tr key={tenant}>
            <th scope="row">{toSafeLine(tenant, 80)}</th>
            <td>{waiting}</td>
            <td>{delayed}</td>
            <td>{active}</td>
            <td className={stalled > 0 ? 'bad' : ''}>{stalled}</td>
          </tr>
        ))}
      </FleetTable>
      <FleetTable
        title="Workers"
        empty="No worker is connected. Start one with `pawl worker`."
        columns={['name', 'tenant', 'idle']}
      >
        {workers.map(({ name, tenant, idleMs }) => (
          <tr key={`${name} ${tenant}`}>
            <th scope="row">{toSafeLine(name, 80)}</th>
            <td>{toSafeLine(tenant, 80)}</td>
            <td>{idleMs === null ? '' : formatElapsedTime(idleMs)}</td>
          </tr>
        ))}
      </FleetTable>
      <FleetTable
        title="Parked"
        empty="None: no session has failed repeatedly."
        columns={['session', 'parked', 'reason']}
      >
        {parked.map(({ session, reason, at }) => (
          <tr key={session}>
            <th scope="row">
              <SessionLink id={session} />
            </th>
            <td>{formatTimeAgo(at, now)}</td>
            <td>{toSafeLine(reason, 300)}</td>
          </tr>
        ))}
      </FleetTable>
    </>
  );
}

const storeNames = { sqlite: 'SQLite', redis: 'Redis', memory: 'memory' } as const;

function SessionLink({ id }: { readonly id: string }) {
  return (
    <a href={formatSessionAddress({ id })}>
      <code>{toSafeLine(id, 12)}</code>
    </a>
  );
}

type FleetNumberProps = { readonly name: string; readonly value: number; readonly isBad?: boolean };

function FleetNumber({ name, value, isBad = false }: FleetNumberProps) {
  return (
    <div className={isBad ? 'bad' : ''}>
      <dt>{name}</dt>
      <dd>{formatAmount(value)}</dd>
    </div>
  );
}

type FleetTableProps = {
  readonly title: string;
  readonly empty: string;
  readonly columns: readonly string[];
  readonly children: readonly ReactNode[];
};

function FleetTable({ title, empty, columns, children }: FleetTableProps) {
  return (
    <section>
      <h2>{title}</h2>
      {children.length === 0 ? (
        <p className="fleet-quiet">{empty}</p>
      ) : (
        <div className="framed">
          <table className="listing">
            <thead>
              <tr>
                {columns.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Explains that workers and queues require Redis. */
function SingleMachineNote() {
  return (
    <section className="fleet-note">
      <h2>One machine, no queue</h2>
      <p>
        Each session is run by the process that started it: <code>pawl run</code> in a terminal, or this
        server. If that process dies, any other process can take the session over and continue from its last
        event.
      </p>
      <p>
        With Redis, sessions wait in a queue for any number of workers on any number of machines. Use{' '}
        <code>pawl submit --store redis://…</code> and <code>pawl worker --store redis://…</code>. This page
        then shows the workers, the queued sessions, sessions that lost their worker (stalled), and sessions
        that failed repeatedly (parked).
      </p>
    </section>
  );
}
