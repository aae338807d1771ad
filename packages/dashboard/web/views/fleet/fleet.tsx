import { useEffect, useState, type ReactNode } from 'react';
import type { Fleet } from '../../app/api-types.ts';
import { ago, amount, counted, duration } from '../../app/format.ts';
import { sessionAddress } from '../../app/route.ts';
import { useNow } from '../../app/use-now.ts';
import { useTitle } from '../../app/use-title.ts';
import type { PageProps } from '../../app/view-props.ts';
import { visibleLine } from '../../app/visible.ts';
import { Loading, Trouble } from '../../app/widgets/notes.tsx';
import { fleetTotals, fleetWorries } from './fleet-model.ts';
import './fleet.css';

const everyMs = 2_000;

/** Who works on what, what waits, and what went wrong over all sessions. */
export function FleetPage({ api }: PageProps) {
  const [fleet, setFleet] = useState<Fleet | null>(null);
  const [error, setError] = useState<unknown>(null);
  useTitle('Fleet');
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      api
        .fleet(stop.signal)
        .then(
          (now) => {
            setFleet(now);
            setError(null);
          },
          (reason: unknown) => {
            if (!stop.signal.aborted) setError(reason);
          },
        )
        .finally(() => {
          if (!stop.signal.aborted) timer = setTimeout(look, everyMs);
        });
    };
    look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api]);
  return (
    <div className="wide-page fleet-page">
      <header className="page-header">
        <h1>Fleet</h1>
        <a className="end" href="/metrics">
          Metrics for Prometheus
        </a>
      </header>
      {error !== null && <Trouble error={error} />}
      {fleet === null ? error === null && <Loading what="the fleet" /> : <Shown fleet={fleet} />}
    </div>
  );
}

function Shown({ fleet }: { readonly fleet: Fleet }) {
  const { store, leases, held } = fleet;
  const worries = fleetWorries(fleet);
  return (
    <>
      <p className="fleet-store">
        Sessions are kept in <strong>{storeNames[store.kind]}</strong>
        {store.where !== null && (
          <>
            {' '}
            at <code>{visibleLine(store.where, 120)}</code>
          </>
        )}
      </p>
      {worries.length > 0 && (
        <div role="status">
          <ul className="fleet-worries">
            {worries.map((worry) => (
              <li key={worry}>{worry}</li>
            ))}
          </ul>
        </div>
      )}
      <Numbers fleet={fleet} />
      {store.kind === 'redis' ? <Queued fleet={fleet} /> : <OnOneMachine />}
      <Table title="Leases" empty="No session is under way." heads={['session', 'held by', 'which is']}>
        {leases.map(({ session, owner, state }) => (
          <tr key={session}>
            <th scope="row">
              <SessionLink id={session} />
            </th>
            <td>{visibleLine(owner, 120)}</td>
            <td className={state === 'gone' ? 'bad' : ''}>{state}</td>
          </tr>
        ))}
      </Table>
      {held.length > 0 && (
        <p className="fleet-held">
          {counted(held.length, 'session')} of this server:{' '}
          {held.map((id) => (
            <SessionLink key={id} id={id} />
          ))}
        </p>
      )}
    </>
  );
}

function Numbers({ fleet }: { readonly fleet: Fleet }) {
  const { rates, held, store } = fleet;
  const totals = fleetTotals(fleet);
  return (
    <dl className="fleet-numbers">
      <Number name="events a minute" value={rates.events} />
      <Number name="model calls a minute" value={rates.modelCalls} />
      <Number name="tool calls a minute" value={rates.toolCalls} />
      <Number name="tokens a minute" value={rates.tokens} />
      <Number name="run by this server" value={held.length} />
      {store.kind === 'redis' && (
        <>
          <Number name="workers" value={totals.workers} isBad={totals.workers === 0} />
          <Number name="waiting" value={totals.waiting} />
          <Number name="active" value={totals.active} />
          <Number name="stalled" value={totals.stalled} isBad={totals.stalled > 0} />
          <Number name="parked" value={totals.parked} isBad={totals.parked > 0} />
        </>
      )}
    </dl>
  );
}

/** What there is only with Redis: queues, workers, and sessions that are left alone. */
function Queued({ fleet: { queues, workers, parked } }: { readonly fleet: Fleet }) {
  const now = useNow(5_000);
  return (
    <>
      <Table
        title="Queues"
        empty="No queue has been used yet."
        heads={['tenant', 'waiting', 'delayed', 'active', 'stalled']}
      >
        {queues.map(({ tenant, waiting, delayed, active, stalled }) => (
          <tr key={tenant}>
            <th scope="row">{visibleLine(tenant, 80)}</th>
            <td>{waiting}</td>
            <td>{delayed}</td>
            <td>{active}</td>
            <td className={stalled > 0 ? 'bad' : ''}>{stalled}</td>
          </tr>
        ))}
      </Table>
      <Table
        title="Workers"
        empty="No worker is connected. Start one with `pawl worker`."
        heads={['name', 'tenant', 'idle']}
      >
        {workers.map(({ name, tenant, idleMs }) => (
          <tr key={`${name} ${tenant}`}>
            <th scope="row">{visibleLine(name, 80)}</th>
            <td>{visibleLine(tenant, 80)}</td>
            <td>{idleMs === null ? '' : duration(idleMs)}</td>
          </tr>
        ))}
      </Table>
      <Table
        title="Parked"
        empty="None: no session has failed too often."
        heads={['session', 'since', 'why']}
      >
        {parked.map(({ session, reason, at }) => (
          <tr key={session}>
            <th scope="row">
              <SessionLink id={session} />
            </th>
            <td>{ago(at, now)}</td>
            <td>{visibleLine(reason, 300)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

const storeNames = { sqlite: 'SQLite', redis: 'Redis', memory: 'memory' } as const;

function SessionLink({ id }: { readonly id: string }) {
  return (
    <a href={sessionAddress({ id })}>
      <code>{visibleLine(id, 12)}</code>
    </a>
  );
}

type NumberProps = { readonly name: string; readonly value: number; readonly isBad?: boolean };

function Number({ name, value, isBad = false }: NumberProps) {
  return (
    <div className={isBad ? 'bad' : ''}>
      <dt>{name}</dt>
      <dd>{amount(value)}</dd>
    </div>
  );
}

type TableProps = {
  readonly title: string;
  readonly empty: string;
  readonly heads: readonly string[];
  readonly children: readonly ReactNode[];
};

function Table({ title, empty, heads, children }: TableProps) {
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
                {heads.map((head) => (
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

/** What Redis would change, for whoever wonders where the workers are. */
function OnOneMachine() {
  return (
    <section className="fleet-note">
      <h2>One machine, no queue</h2>
      <p>
        Each session is run by the process that began it: <code>pawl run</code> in a terminal, or this server.
        A process that dies leaves its lease behind, and whoever takes the session up goes on from its last
        event.
      </p>
      <p>
        With Redis, sessions wait in a queue and any number of workers on any machines take them: begin with{' '}
        <code>pawl submit --store redis://…</code> and <code>pawl worker --store redis://…</code>. Then this
        page shows the workers, how much waits, what is stalled because its worker was lost, and what is
        parked because it failed too often.
      </p>
    </section>
  );
}
