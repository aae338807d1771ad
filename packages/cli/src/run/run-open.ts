import { once } from 'node:events';
import type { TelemetryClient } from '@pawl/telemetry';
import type { ExitCode } from '../output/exit-codes.ts';
import type { CommandIo } from '../output/command-io.ts';
import type { OpenedStore } from '../sessions/store-option.ts';
import { openTerminalPrompt } from '../output/terminal-prompt.ts';
import type { EmbeddedDashboard } from '../dashboard/embedded-dashboard.ts';
import type { RunView } from './run-view.ts';

type BrowserRunOptions = {
  readonly opened: OpenedStore;
  readonly id: string;
  readonly dir: string;
  readonly telemetry: TelemetryClient | null;
  readonly view: RunView;
  readonly signal: AbortSignal;
  readonly io: CommandIo;
};

/**
 * Also shows a run in a browser, from its start and, at a terminal, until Ctrl-C. `work` gets the view to report to.
 */
export async function runWithDashboard(
  { opened, id, dir, telemetry, view, signal, io }: BrowserRunOptions,
  work: (view: RunView) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { startEmbeddedDashboard } = await import('../dashboard/embedded-dashboard.ts');
  const warn = (line: string): void => view.warn(line);
  const dashboard = await startEmbeddedDashboard({ opened, id, dir, telemetry, warn, open: true });
  try {
    view.warn(`Dashboard: ${dashboard.login}`);
    const code = await work(addDashboardObserver(view, dashboard));
    dashboard.done();
    if (openTerminalPrompt(io) !== null && !signal.aborted) {
      io.stderr.write(`The dashboard stays open at ${dashboard.url} until Ctrl-C.\n`);
      await once(signal, 'abort');
    }
    return code;
  } finally {
    await dashboard.close();
  }
}

function addDashboardObserver(view: RunView, dashboard: EmbeddedDashboard): RunView {
  return {
    ...view,
    canResume: true,
    observe(result) {
      view.observe(result);
      dashboard.observe(result);
    },
  };
}
