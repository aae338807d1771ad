import { once } from 'node:events';
import type { Telemetry } from '@pawl/telemetry';
import type { ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import type { OpenedStore } from '../store-option.ts';
import { terminalOf } from '../terminal.ts';
import type { DashboardBeside } from './dashboard-beside.ts';
import type { RunView } from './run-view.ts';

type Shown = {
  readonly opened: OpenedStore;
  readonly id: string;
  readonly dir: string;
  readonly telemetry: Telemetry | null;
  readonly view: RunView;
  readonly signal: AbortSignal;
  readonly io: Io;
};

/**
 * Shows a run in a browser as well, from its beginning and, at a terminal, until the user has seen enough. `work` is handed the
 * view to report to.
 */
export async function openedBeside(
  { opened, id, dir, telemetry, view, signal, io }: Shown,
  work: (view: RunView) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { dashboardBeside } = await import('./dashboard-beside.ts');
  const warn = (line: string): void => view.warn(line);
  const beside = await dashboardBeside({ opened, id, dir, telemetry, warn, open: true });
  try {
    view.warn(`It is shown at ${beside.login}`);
    const code = await work(withBeside(view, beside));
    beside.done();
    if (terminalOf(io) !== null && !signal.aborted) {
      io.stderr.write(`Still shown at ${beside.url} until Ctrl-C.\n`);
      await once(signal, 'abort');
    }
    return code;
  } finally {
    await beside.close();
  }
}

function withBeside(view: RunView, beside: DashboardBeside): RunView {
  return {
    ...view,
    see(seen) {
      view.see(seen);
      beside.see(seen);
    },
  };
}
