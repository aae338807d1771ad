import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import { maskSecrets, listSecretValues } from '../../src/logging/mask-secrets.ts';

describe('maskSecrets', () => {
  it('masks values under secret-like keys at any depth', () => {
    const masked = maskSecrets({
      headers: { Authorization: 'abc', accept: 'text' },
      list: [{ api_key: 'x', password: ['one', 'two'], empty: { secret: '' } }],
      inputTokens: 12,
    });
    expect(masked).toEqual({
      headers: { Authorization: '[secret]', accept: 'text' },
      list: [{ api_key: '[secret]', password: ['[secret]', '[secret]'], empty: { secret: '' } }],
      inputTokens: 12,
    });
  });

  it.each([
    ['ghp_0123456789abcdefABCDEF', 'a GitHub token'],
    ['sk-proj-0123456789abcdef', 'a provider key'],
    ['AKIA0123456789ABCDEF', 'a cloud key'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'a signed token'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----', 'a private key'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE cut off', 'half a private key'],
  ])('masks %j wherever it stands in a text: %s', (secret) => {
    const masked = JSON.stringify(maskSecrets({ note: `before ${secret} after`, [secret]: 1 }));
    for (const piece of secret.split(/[\s.]/).filter((each) => each.length > 3 && !/KEY|BEGIN/.test(each)))
      expect(masked).not.toContain(piece);
    expect(masked).toContain('before ');
  });

  it.each([
    ['curl -H "Authorization: Bearer abcdef" x', 'abcdef'],
    ['export DB_PASSWORD=hunter22; run', 'hunter22'],
    ['{"apiKey": "plain-text-value"}', 'plain-text-value'],
    [JSON.stringify(JSON.stringify({ token: 'inner-value' })), 'inner-value'],
    ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ])('masks what is assigned to a telling name inside a text: %s', (text, secret) => {
    expect(maskSecrets(text)).not.toContain(secret);
  });

  it('does not mask text that merely mentions secrets', () => {
    const text = 'max_tokens=1000 tokens: 30; the secret of the token is told, a password is asked for';
    expect(maskSecrets(text)).toBe(text);
  });

  it('never reveals a given literal, even where truncation would split it', () => {
    const secret = 'correct horse battery';
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(60), (before, after, textMax) => {
        const masked = maskSecrets([`${before}${secret}${after}`], { secrets: [secret], textMax });
        expect(JSON.stringify(masked)).not.toContain('correct h');
      }),
    );
  });

  it('returns data without secrets unchanged, whatever its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        fc.pre(!/key|token|secret|pass|cred|auth|bearer/i.test(JSON.stringify(plain)));
        expect(maskSecrets(plain)).toEqual(plain);
      }),
    );
    const odd = JSON.parse('{"__proto__":{"a":1}}') as object;
    expect(JSON.stringify(maskSecrets(odd))).toBe('{"__proto__":{"a":1}}');
  });

  it('runs in linear time on hostile text and replaces values that are nested too deeply', () => {
    const million = 1_000_000;
    for (const piece of ['eyJ', 'sk-', '-----BEGIN PRIVATE KEY-----', 'token', 'token=', 'bearer ', ' :']) {
      const cpuMs = startCpuTimer();
      maskSecrets(piece.repeat(million / piece.length));
      expect(cpuMs(), piece).toBeLessThan(5_000);
    }
    let deep: unknown = 'x';
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(JSON.stringify(maskSecrets(deep))).toContain('[too deep]');
  });
});

describe('listSecretValues', () => {
  it('lists only the values of variables with secret-like names', () => {
    const environment = { OPENAI_API_KEY: 'one', MY_TOKEN: 'two', HOME: '/home', GH_TOKEN: '', X: undefined };
    expect(listSecretValues(environment)).toEqual(['one', 'two']);
  });
});
