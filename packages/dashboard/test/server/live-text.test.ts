import type { Event } from '@pawl/core';
import * as fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSecretMask } from '../../src/http/json-response.ts';
import { createLiveTextSender } from '../../src/sessions/live-text.ts';

const secret = 'correct-horse-battery';

/** Returns what a client has received of a text that arrived in these pieces. */
async function collectLiveText(pieces: readonly string[], pauseEvery = 1): Promise<string> {
  let text = '';
  const live = createLiveTextSender({
    mask: createSecretMask([secret]),
    intervalMs: 0,
    send: (event) => (text += event.type === 'text-delta' ? event.text : ''),
  });
  for (const [index, piece] of pieces.entries()) {
    live.observe({ type: 'text-delta', at: index, request: 1, text: piece });
    if (index % pauseEvery === 0) await sleep(1);
  }
  await sleep(2);
  live.end();
  return text;
}

it('streams text word by word and holds the last word back until it is complete', async () => {
  expect(await collectLiveText(['On', 'ce upon', ' a ti', 'me'])).toBe('Once upon a ');
});

it('never sends a secret that arrives in pieces', async () => {
  const secretText = `The key is ${secret} and the other sk-abcdefghijklmnop too, and password = hunter2 as well. `;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 5, maxLength: 12 }),
      async (lengths) => {
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < secretText.length; turn += 1) {
          const length = lengths[turn % lengths.length] ?? 1;
          pieces.push(secretText.slice(at, at + length));
          at += length;
        }
        const text = await collectLiveText(pieces, 3);
        for (const hidden of ['correct-horse', 'abcdefgh', 'hunter2']) expect(text).not.toContain(hidden);
        expect(text).toContain('as well.');
      },
    ),
    { numRuns: 20 },
  );
});

it('never sends a private key, although its single lines do not look like secrets', async () => {
  const lines = [
    '-----BEGIN PRIVATE KEY-----\n',
    'MIIEvQIBADANBgkq\n',
    'hkiG9w0BAQEFAASC\n',
    '-----END PRIVATE KEY-----\n',
    'Done. \n',
  ];
  const text = await collectLiveText(['Look: ', ...lines]);
  expect(text).not.toContain('MIIE');
  expect(text).not.toContain('hkiG');
});

function createCallDelta(callId: string, fragment: string): Event {
  return { type: 'call-delta', at: 1, request: 1, callId, tool: 'write', fragment };
}

it('restarts with the next reply, separates calls, and forwards progress unchanged', async () => {
  const got: Event[] = [];
  const live = createLiveTextSender({
    mask: createSecretMask([]),
    intervalMs: 0,
    send: (event) => void got.push(event),
  });
  live.observe(createCallDelta('a', '{"text": "one '));
  live.observe(createCallDelta('b', '{"text": "two '));
  live.observe({ type: 'tool-progressed', at: 2, callId: 'a', progress: 'half' });
  await sleep(2);
  expect(got).toEqual([
    { type: 'tool-progressed', at: 2, callId: 'a', progress: 'half' },
    createCallDelta('a', '{"text": "one '),
    createCallDelta('b', '{"text": "two '),
  ]);
  live.observe({ type: 'model-replied', at: 3, text: '', calls: [] });
  live.observe(createCallDelta('a', 'new '));
  await sleep(2);
  expect(got.at(-1)).toEqual(createCallDelta('a', 'new '));
  live.end();
});
