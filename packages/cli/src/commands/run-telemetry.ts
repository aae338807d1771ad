import type { Session } from '@pawl/core';
import { secretValues, type Config, type TelemetryKeys } from '@pawl/runtime';
// Types only: what they describe is loaded when somebody wants it.
import type { Collector, SessionObserver, Telemetry } from '@pawl/telemetry';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';

export type TelemetryMeans = {
  /** Whether metrics are to be kept for Prometheus. */
  readonly prometheus?: boolean;
  readonly warn: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
};

/** Traces and metrics, where they are to be sent or kept; null where nobody has asked for any, and then nothing is loaded for it. */
export async function openTelemetry(
  { telemetry: keys = {} }: Pick<Config, 'telemetry'>,
  { prometheus = false, warn, env = process.env }: TelemetryMeans,
): Promise<Telemetry | null> {
  const { traces, otlp } = placesIn(keys, env, warn);
  if (traces === undefined && otlp === undefined && !prometheus) return null;
  const { serviceName, captureContent } = keys;
  const { createTelemetry } = await import('@pawl/telemetry');
  return createTelemetry({
    ...(serviceName !== undefined && { serviceName }),
    ...(captureContent !== undefined && { captureContent }),
    ...(traces !== undefined && { traces }),
    metrics: { prometheus, ...(otlp !== undefined && { otlp }) },
    secrets: secretValues(env),
    onTrouble: (message) => warn(message ?? 'Telemetry can be sent again.'),
  });
}

/** Where traces are sent to, and where metrics are. */
function placesIn(
  keys: TelemetryKeys,
  env: NodeJS.ProcessEnv,
  warn: (line: string) => void,
): { readonly traces?: Collector; readonly otlp?: Collector } {
  const { traces = true, metrics = true, headers = {} } = keys;
  const url = collectorIn(keys, env, warn);
  if (url === null) return {};
  const collector = { url, headers: filledIn(headers, env) };
  return { ...(traces && { traces: collector }), ...(metrics && { otlp: collector }) };
}

/** The telemetry of a run with a view; trouble that comes once the view is closed is told on standard error. */
export async function runTelemetry(
  config: Pick<Config, 'telemetry'>,
  view: { warn(line: string): void },
  { stderr }: Io,
  prometheus = false,
): Promise<Telemetry | null> {
  let isOver = false;
  const warn = (line: string): void =>
    isOver ? void stderr.write(`${visibleLine(line)}\n`) : view.warn(line);
  const telemetry = await openTelemetry(config, { prometheus, warn });
  if (telemetry === null) return null;
  return {
    ...telemetry,
    shutdown() {
      isOver = true;
      return telemetry.shutdown();
    },
  };
}

/** Where nobody wants to know, nothing is observed. */
export function observing(telemetry: Telemetry | null, session: Session): SessionObserver {
  if (telemetry !== null) return telemetry.observe(session);
  return { see: () => undefined, within: (means) => means, end: () => undefined };
}

/** The address of the collector; null where there is none that can be used. */
function collectorIn(
  { otlp, disabled = false }: TelemetryKeys,
  env: NodeJS.ProcessEnv,
  warn: (line: string) => void,
): string | null {
  if (otlp === undefined || disabled) return null;
  const protocol = env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? '';
  if (protocol === 'grpc') {
    warn('No telemetry is sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and Pawl sends JSON over HTTP.');
    return null;
  }
  if (/^https?:$/.test(URL.parse(otlp)?.protocol ?? '')) return otlp;
  warn('No telemetry is sent: the address of the collector is neither http:// nor https://.');
  return null;
}

/** With `${NAME}` replaced, so that a file can say where a secret is without having it. */
function filledIn(
  headers: { readonly [name: string]: string },
  env: NodeJS.ProcessEnv,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
        const found = env[name];
        if (found !== undefined) return found;
        throw new UsageError(
          `telemetry.headers.${key} needs the environment variable ${name}, and it is not set. Set it, or take it out of the configuration.`,
        );
      }),
    ]),
  );
}
