import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readEnvironmentConfig,
  configVariables,
  ConfigVariableError,
} from '../../src/config/environment-config.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

describe('readEnvironmentConfig', () => {
  it('reads each key from its variable', () => {
    const env = {
      PAWL_MODEL: 'ollama:qwen3:8b',
      PAWL_BASE_URL: ' http://gpu:8000 ',
      PAWL_PROFILE: './reviewer.yaml',
      PAWL_MODE: 'read-only',
      PAWL_STORE: 'none',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_SERVICE_NAME: 'roofers',
      OTEL_SDK_DISABLED: 'True',
    };
    expect(readEnvironmentConfig(env)).toStrictEqual({
      model: 'ollama:qwen3:8b',
      baseUrl: 'http://gpu:8000',
      profile: './reviewer.yaml',
      permission: { mode: 'read-only' },
      store: 'none',
      telemetry: { otlp: 'http://collector:4318', serviceName: 'roofers', disabled: true },
    });
    expect(Object.values(configVariables).toSorted()).toEqual(Object.keys(env).toSorted());
  });

  it('accepts any value in variables shared with other programs', () => {
    expect(readEnvironmentConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' })).toStrictEqual({
      telemetry: { otlp: 'localhost:4317' },
    });
    expect(readEnvironmentConfig({ OTEL_SDK_DISABLED: '0', OTEL_SERVICE_NAME: ' ' })).toStrictEqual({});
  });

  it('ignores empty and unrelated variables', () => {
    expect(
      readEnvironmentConfig({ PAWL_MODEL: '', PAWL_MODE: ' \t', MODEL: 'x', PAWL_API_KEY: 'k' }),
    ).toStrictEqual({});
  });

  it.each([
    [{ PAWL_MODE: 'raed-only' }, 'PAWL_MODE', 'got "raed-only". Did you mean read-only?'],
    [
      { PAWL_MODE: 'yolo\u001b[2J' },
      'PAWL_MODE',
      'expected one of read-only, ask, auto-edit, full-auto, got "yolo\\u001b[2J".',
    ],
    [{ PAWL_MODEL: 'x'.repeat(2_001) }, 'PAWL_MODEL', 'expected up to 2000 characters, got 2001.'],
  ])('says which variable cannot be used, and why: %j', (env, variable, problem) => {
    expect(() => readEnvironmentConfig(env)).toThrow(
      expect.objectContaining({ variable, message: expect.stringContaining(problem) as string }) as Error,
    );
  });

  it('throws only a one-line ConfigVariableError, whatever is set', () => {
    const variable = fc.constantFrom(...Object.values(configVariables));
    fc.assert(
      fc.property(fc.dictionary(variable, fc.string({ unit: codePoint })), (env) => {
        try {
          readEnvironmentConfig(env);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigVariableError);
          expect((error as Error).message).not.toMatch(/\n/);
        }
      }),
    );
  });
});
