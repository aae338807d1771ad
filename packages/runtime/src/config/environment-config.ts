import type { EnvironmentVariables } from '../platform/platform.ts';
import { findNearestName } from '../text/nearest-name.ts';
import { permissionModes, type PermissionMode } from '../permission/modes.ts';
import { toPrintableLine } from '../text/one-line.ts';
import { findStoreProblem, type Config } from './config.ts';

/** Environment variables by configuration key. */
export const configVariables = {
  model: 'PAWL_MODEL',
  baseUrl: 'PAWL_BASE_URL',
  profile: 'PAWL_PROFILE',
  'permission.mode': 'PAWL_MODE',
  store: 'PAWL_STORE',
  'telemetry.otlp': 'OTEL_EXPORTER_OTLP_ENDPOINT',
  'telemetry.serviceName': 'OTEL_SERVICE_NAME',
  'telemetry.disabled': 'OTEL_SDK_DISABLED',
} as const;

/** Reads the configuration from environment variables. Empty variables count as unset; invalid ones throw. */
export function readEnvironmentConfig(env: EnvironmentVariables): Config {
  const [model, baseUrl, profile, store] = (['model', 'baseUrl', 'profile', 'store'] as const).map((key) =>
    readTextVariable(env, configVariables[key]),
  );
  const problem = store === undefined ? null : findStoreProblem(store);
  if (problem !== null) throw new ConfigVariableError(configVariables.store, problem);
  const mode = readModeVariable(env);
  return {
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(profile !== undefined && { profile }),
    ...(store !== undefined && { store }),
    ...(mode !== undefined && { permission: { mode } }),
    ...readTelemetryVariables(env),
  };
}

/** OpenTelemetry variables are shared with other programs, so unexpected values are not errors here. */
function readTelemetryVariables(env: EnvironmentVariables): Pick<Config, 'telemetry'> {
  const text = (key: keyof typeof configVariables): string =>
    env[configVariables[key]]?.trim().slice(0, variableCharsMax) ?? '';
  const otlp = text('telemetry.otlp');
  const serviceName = text('telemetry.serviceName');
  const telemetry = {
    ...(otlp !== '' && { otlp }),
    ...(serviceName !== '' && { serviceName }),
    ...(text('telemetry.disabled').toLowerCase() === 'true' && { disabled: true }),
  };
  return Object.keys(telemetry).length === 0 ? {} : { telemetry };
}

/** Same limit as for a line in a configuration file. */
const variableCharsMax = 2_000;

function readTextVariable(env: EnvironmentVariables, variable: string): string | undefined {
  const text = env[variable]?.trim() ?? '';
  if (text === '') return undefined;
  if (text.length <= variableCharsMax) return text;
  throw new ConfigVariableError(
    variable,
    `expected up to ${variableCharsMax} characters, got ${text.length}.`,
  );
}

function readModeVariable(env: EnvironmentVariables): PermissionMode | undefined {
  const variable = configVariables['permission.mode'];
  const text = readTextVariable(env, variable);
  if (text === undefined) return undefined;
  const mode = permissionModes.find((each) => each === text);
  if (mode !== undefined) return mode;
  const nearest = findNearestName(text, permissionModes, Math.floor(text.length / 3));
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  const shown = toPrintableLine(JSON.stringify(text), 60);
  throw new ConfigVariableError(
    variable,
    `expected one of ${permissionModes.join(', ')}, got ${shown}.${hint}`,
  );
}

/** An environment variable is invalid. The one-line message gives its name, the expected value and the actual value. */
export class ConfigVariableError extends Error {
  override readonly name = 'ConfigVariableError';
  readonly variable: string;

  constructor(variable: string, problem: string) {
    super(`Environment variable ${variable}: ${problem}`);
    this.variable = variable;
  }
}
