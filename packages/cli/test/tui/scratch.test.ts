import { findProfile, type Event } from '@pawl/core';
import { it } from 'vitest';
import { tick } from '../../src/tui/screen.ts';
import { after, asks, hello, large, opened, screen, small, tiny } from './fixtures/shown.ts';
const budgets = { modelCalls: 40, toolCalls: 60, tokens: null, cost: 1, wallMs: null };
const settings = { ...findProfile('pawl')?.settings, budgets, windowTokens: 16_000 };
const work: readonly Event[] = [
  hello,
  { type: 'phase-started', at: 1_000, number: 1, description: 'Find the bug', total: 4, expectedMs: 60_000 },
  asks(2_000, 'I look first.', ['a', 'read', { path: 'sum.js' }], ['b', 'read', { path: 'missing.js' }]),
  { type: 'tool-started', at: 2_000, callId: 'a' },
  { type: 'tool-started', at: 2_000, callId: 'b' },
  { type: 'tool-finished', at: 2_300, callId: 'a', outcome: { ok: true, output: 'return a - b' } },
  { type: 'tool-finished', at: 3_500, callId: 'b', outcome: { ok: false, error: { kind: 'failed', message: 'There is no such file.' } } },
  asks(4_000, 'Now the tests.', ['c', 'test', { command: 'npm test' }]),
  { type: 'tool-started', at: 4_000, callId: 'c' },
  { type: 'tool-progressed', at: 5_000, callId: 'c', progress: '12 of 40 tests' },
];
it('x', () => {
  for (const size of [small, tiny, large]) console.log(screen(tick(after(opened({ settings, size }), ...work), 9_000)));
  const savant = findProfile('savant')?.settings;
  const s = after(opened({ settings: savant!, size: small }), hello, asks(2000, '', ['a','context.fts_search',{query:'x'}]), { type: 'tool-started', at: 2_000, callId: 'a' },
  { type: 'tool-finished', at: 2_300, callId: 'a', outcome: { ok: true, output: 'return a - b' } }, asks(3000,'I think it is fine', ['b','context.fts_search',{query:'y'}]));
  console.log(screen(s)); 
  console.log(screen({...s, size: large})); 
});
