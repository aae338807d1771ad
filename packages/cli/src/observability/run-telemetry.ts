import type { Session } from '@pawl/core';
import type { AgentObserver } from '@pawl/runtime';
import type { Config, TelemetryKeys } from '@pawl/runtime/config';
// Types only: the package is loaded when telemetry is enabled.
import type { OtlpCollector, TelemetryClient } from '@pawl/telemetry';
import type { CommandIo } from '../output/command-io.ts';
import { UsageError } from '../output/exit-codes.ts';
import { sanitizeOneLine } from '../output/sanitize-text.ts';

export type CliTelemetryOptions = {
  /** Whether to collect metrics for Prometheus. */
  readonly prometheus?: boolean;
  readonly warn: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
};

/** Opens traces and metrics if they are configured; null otherwise, and then no package is loaded. */
export async function openTelemetry(
  { telemetry: keys = {} }: Pick<Config, 'telemetry'>,
  { prometheus = false, warn, env = process.env }: CliTelemetryOptions,
): Promise<TelemetryClient | null> {
  const { traces, otlp } = resolveCollectors(keys, env, warn);
  if (traces === undefined && otlp === undefined && !prometheus) return null;
  const { serviceName, captureContent } = keys;
  const { createTelemetry } = await import('@pawl/telemetry');
  const { listSecretValues } = await import('@pawl/runtime/logging');
  return createTelemetry({
    ...(serviceName !== undefined && { serviceName }),
    ...(captureContent !== undefined && { captureContent }),
    ...(traces !== undefined && { traces }),
    metrics: { prometheus, ...(otlp !== undefined && { otlp }) },
    secrets: listSecretValues(env),
    onExportError: (message) => warn(message ?? 'Telemetry export works again.'),
  });
}

/** Resolves the collectors for traces and for metrics. */
function resolveCollectors(
  keys: TelemetryKeys,
  env: NodeJS.ProcessEnv,
  warn: (line: string) => void,
): { readonly traces?: OtlpCollector; readonly otlp?: OtlpCollector } {
  const { traces = true, metrics = true, headers = {} } = keys;
  const url = resolveCollectorUrl(keys, env, warn);
  if (url === null) return {};
  const collector = { url, headers: expandHeaderVariables(headers, env) };
  return { ...(traces && { traces: collector }), ...(metrics && { otlp: collector }) };
}

/** Opens the telemetry of a run with a view; errors after the view has closed go to standard error. */
export async function openRunTelemetry(
  config: Pick<Config, 'telemetry'>,
  view: { warn(line: string): void },
  { stderr }: CommandIo,
  prometheus = false,
): Promise<TelemetryClient | null> {
  let isClosed = false;
  const warn = (line: string): void =>
    isClosed ? void stderr.write(`${sanitizeOneLine(line)}\n`) : view.warn(line);
  const telemetry = await openTelemetry(config, { prometheus, warn });
  if (telemetry === null) return null;
  return {
    ...telemetry,
    shutdown() {
      isClosed = true;
      return telemetry.shutdown();
    },
  };
}

/** The observers that telemetry adds to an agent. */
export function toAgentObservers(
  telemetry: TelemetryClient | null,
): readonly ((session: Session) => AgentObserver)[] {
  return telemetry === null ? [] : [(session) => telemetry.observe(session)];
}

/** Returns the collector's address; null if there is no valid one. */
function resolveCollectorUrl(
  { otlp, disabled = false }: TelemetryKeys,
  env: NodeJS.ProcessEnv,
  warn: (line: string) => void,
): string | null {
  if (otlp === undefined || disabled) return null;
  const protocol = env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? '';
  if (protocol === 'grpc') {
    warn('Telemetry is disabled: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but Pawl exports JSON over HTTP.');
    return null;
  }
  if (/^https?:$/.test(URL.parse(otlp)?.protocol ?? '')) return otlp;
  warn('Telemetry is disabled: the collector URL is neither http:// nor https://.');
  return null;
}

/** Replaces `${NAME}` with environment variables, so that a file can refer to a secret without containing it. */
function expandHeaderVariables(
  headers: { readonly [name: string]: string },
  env: NodeJS.ProcessEnv,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
        const secret = env[name];
        if (secret !== undefined) return secret;
        throw new UsageError(
          `telemetry.headers.${key} requires the environment variable ${name}, which is not set. Set it, or remove it from the configuration.`,
        );
      }),
    ]),
  );
}
