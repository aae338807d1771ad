import { nearest } from '../nearest.ts';
import { permissionModes, type PermissionMode } from '../permission/modes.ts';
import { oneLine } from '../schema/one-line.ts';
import { ConfigVariableError } from './config-variable-error.ts';
import type { Config } from './config.ts';

/** The keys that the environment may set, each with its variable. */
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

type Environment = { readonly [name: string]: string | undefined };

/** What the environment sets. A variable that is empty is not set; one that cannot be used is an error. */
export function configFromEnvironment(env: Environment): Config {
  const [model, baseUrl, profile, store] = (['model', 'baseUrl', 'profile', 'store'] as const).map((key) =>
    textIn(env, configVariables[key]),
  );
  const mode = modeIn(env);
  return {
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(profile !== undefined && { profile }),
    ...(store !== undefined && { store }),
    ...(mode !== undefined && { permission: { mode } }),
    ...telemetryIn(env),
  };
}

/** These are not ours alone: what another program makes of them must not be an error here. */
function telemetryIn(env: Environment): Pick<Config, 'telemetry'> {
  const text = (key: keyof typeof configVariables): string =>
    env[configVariables[key]]?.trim().slice(0, charsMax) ?? '';
  const otlp = text('telemetry.otlp');
  const serviceName = text('telemetry.serviceName');
  const telemetry = {
    ...(otlp !== '' && { otlp }),
    ...(serviceName !== '' && { serviceName }),
    ...(text('telemetry.disabled').toLowerCase() === 'true' && { disabled: true }),
  };
  return Object.keys(telemetry).length === 0 ? {} : { telemetry };
}

/** As long as a line in a file may be. */
const charsMax = 2_000;

function textIn(env: Environment, variable: string): string | undefined {
  const text = env[variable]?.trim() ?? '';
  if (text === '') return undefined;
  if (text.length <= charsMax) return text;
  throw new ConfigVariableError(variable, `expected up to ${charsMax} characters, got ${text.length}.`);
}

function modeIn(env: Environment): PermissionMode | undefined {
  const variable = configVariables['permission.mode'];
  const given = textIn(env, variable);
  if (given === undefined) return undefined;
  const mode = permissionModes.find((each) => each === given);
  if (mode !== undefined) return mode;
  const near = nearest(given, permissionModes, Math.floor(given.length / 3));
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  const came = oneLine(JSON.stringify(given), 60);
  throw new ConfigVariableError(
    variable,
    `expected one of ${permissionModes.join(', ')}, got ${came}.${hint}`,
  );
}
