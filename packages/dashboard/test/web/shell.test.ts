import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import { EventStreamReader } from '../../web/app/event-stream.ts';
import {
  formatTimeAgo,
  formatAmount,
  formatLocalClock,
  formatCount,
  formatElapsedTime,
  formatCost,
} from '../../web/app/format.ts';
import { emptyKeySequence, resolveKeyPress, keySequenceMs } from '../../web/app/key-bindings.ts';
import { clearStoredOutput, emptyLiveOutput, applyLiveEvent } from '../../web/app/live-output.ts';
import { parsePageRoute, formatSessionAddress } from '../../web/app/page-route.ts';
import { escapeUnsafeText, toSafeLine } from '../../web/app/safe-text.ts';

describe('addresses', () => {
  it('name a session view and an event', () => {
    expect(parsePageRoute('#/s/abc/events?at=7')).toEqual({
      page: 'session',
      id: 'abc',
      view: 'events',
      at: 7,
    });
    expect(parsePageRoute('#/s/abc')).toEqual({ page: 'session', id: 'abc', view: 'transcript', at: null });
    expect(parsePageRoute('#/i/2/why')).toEqual({ page: 'imported', id: '2', view: 'why', at: null });
    expect(parsePageRoute('#/')).toMatchObject({ page: 'runs' });
    expect(parsePageRoute('')).toMatchObject({ page: 'runs' });
    expect(parsePageRoute('#/compare?a=1&b=2')).toMatchObject({ page: 'compare' });
  });

  it('that are invalid lead to the unknown page', () => {
    for (const hash of ['#/nowhere', '#/s', '#/s/a/nonsense', '#/s/%', '#/s/a/why/more', '#/__proto__']) {
      expect(parsePageRoute(hash).page).toBe('unknown');
    }
    expect(parsePageRoute('#/s/a/why?at=-1')).toMatchObject({ at: null });
    expect(parsePageRoute('#/s/a/why?at=1e9')).toMatchObject({ at: null });
  });

  it('are parsed as they were formatted for any id', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.nat(), (id, at) => {
        expect(parsePageRoute(formatSessionAddress({ id }, 'why', at))).toEqual({
          page: 'session',
          id,
          view: 'why',
          at,
        });
      }),
    );
  });
});

describe('the reader of server-sent events', () => {
  const text =
    'event: kept\nid: 7\ndata: {"a":1}\n\n: heartbeat\n\r\nevent: live\rdata: x\rdata:y\r\rdata: z\n\nid: 9\n\n';

  it('parses messages', () => {
    expect(new EventStreamReader().read(text)).toEqual([
      { event: 'kept', data: '{"a":1}', id: '7' },
      { event: 'live', data: 'x\ny', id: null },
      { event: 'message', data: 'z', id: null },
    ]);
  });

  it('parses the same messages for any chunk boundaries', () => {
    const whole = new EventStreamReader().read(text);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
        const reader = new EventStreamReader();
        const boundaries = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const chunks = boundaries.slice(1).map((end, index) => text.slice(boundaries[index], end));
        expect(chunks.flatMap((chunk) => reader.read(chunk))).toEqual(whole);
      }),
    );
  });
});

describe('key bindings', () => {
  const why = { keys: 'g w', description: 'Why', run: vi.fn() };
  const next = { keys: 'j', description: 'Next', run: vi.fn() };
  const other = { keys: 'j', description: 'Next of the view', run: vi.fn() };

  it('match single keys and sequences', () => {
    const first = resolveKeyPress([why, next], emptyKeySequence, 'g', 10);
    expect(first).toEqual({ binding: null, pressed: { before: 'g', at: 10 } });
    expect(resolveKeyPress([why, next], first.pressed, 'w', 20).binding).toBe(why);
    expect(resolveKeyPress([why, next], emptyKeySequence, 'j', 10).binding).toBe(next);
  });

  it('match single keys after an incomplete sequence', () => {
    const { pressed } = resolveKeyPress([why, next], emptyKeySequence, 'g', 10);
    expect(resolveKeyPress([why, next], pressed, 'j', 20).binding).toBe(next);
    expect(resolveKeyPress([why, next], pressed, 'w', 11 + keySequenceMs).binding).toBeNull();
  });

  it('that were added later take precedence', () => {
    expect(resolveKeyPress([next, other], emptyKeySequence, 'j', 0).binding).toBe(other);
  });
});

describe('live output', () => {
  it('grows until the reply is stored', () => {
    const shown = applyLiveEvent(
      applyLiveEvent(emptyLiveOutput, createTextDelta('Hel')),
      createTextDelta('lo'),
    );
    expect(shown.text).toBe('Hello');
    expect(clearStoredOutput(shown, { type: 'model-replied', at: 1, text: 'Hello', calls: [] })).toBe(
      emptyLiveOutput,
    );
  });

  it('restarts with another model request', () => {
    expect(
      applyLiveEvent(applyLiveEvent(emptyLiveOutput, createTextDelta('a', 1)), createTextDelta('b', 2)).text,
    ).toBe('b');
  });

  it('collects call fragments and the latest progress of each tool', () => {
    const shown = applyLiveEvent(
      applyLiveEvent(emptyLiveOutput, createCallDelta('{"p')),
      createCallDelta('ath"}'),
    );
    expect(shown.calls).toEqual([{ callId: 'a', tool: 'read', args: '{"path"}' }]);
    const progress = applyLiveEvent(shown, { type: 'tool-progressed', at: 0, callId: 'a', progress: 'half' });
    expect(progress.progress.get('a')).toBe('half');
    const outcome = { ok: true, output: 1 } as const;
    expect(
      clearStoredOutput(progress, { type: 'tool-finished', at: 1, callId: 'a', outcome }).progress.size,
    ).toBe(0);
  });
});

describe('text formatting', () => {
  it('abbreviates times and amounts', () => {
    expect([
      formatElapsedTime(340),
      formatElapsedTime(2_449),
      formatElapsedTime(185_000),
      formatElapsedTime(7_800_000),
      formatElapsedTime(Number.NaN),
    ]).toEqual(['340 ms', '2.4 s', '3 min 05 s', '2 h 10 min', '–']);
    expect([formatAmount(950), formatAmount(12_340), formatAmount(999_999), formatAmount(4_500_000)]).toEqual(
      ['950', '12.3k', '1M', '4.5M'],
    );
    expect([
      formatTimeAgo(0, 1_000),
      formatTimeAgo(0, 5_000),
      formatTimeAgo(0, 180_000),
      formatTimeAgo(0, 7_200_000),
      formatTimeAgo(0, 4 * 86_400_000),
    ]).toEqual(['now', '5 s', '3 min', '2 h', '4 d']);
    expect([formatCost(0), formatCost(0.001), formatCost(1.239)]).toEqual(['0', '<0.01', '1.24']);
    expect([formatCount(1, 'event'), formatCount(12_000, 'event')]).toEqual(['1 event', '12,000 events']);
    expect(formatLocalClock(Number.MAX_VALUE)).toBe('–');
  });

  it('escapes unsafe characters in linear time', () => {
    expect(escapeUnsafeText('a\u202Eb\u0000\u001b[2J\ttab\nline')).toBe('a\\u202eb\\x00\\x1b[2J\ttab\nline');
    expect(toSafeLine('a \n b')).toBe('a ⏎ b');
    const cpuMs = startCpuTimer();
    toSafeLine(' '.repeat(1_000_000), 1_000_000);
    escapeUnsafeText('\n '.repeat(500_000));
    expect(cpuMs()).toBeLessThan(5_000);
  });
});

function createTextDelta(text: string, request = 1) {
  return { type: 'text-delta', at: 0, text, request } as const;
}

function createCallDelta(fragment: string) {
  return { type: 'call-delta', at: 0, callId: 'a', tool: 'read', fragment } as const;
}
