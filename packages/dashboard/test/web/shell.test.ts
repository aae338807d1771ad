import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { EventStreamReader } from '../../web/app/event-stream.ts';
import { ago, amount, clockTime, counted, duration, money } from '../../web/app/format.ts';
import { nothingPressed, press, sequenceMs } from '../../web/app/keys.ts';
import { afterKept, nothingLive, showLive } from '../../web/app/live-show.ts';
import { readRoute, sessionAddress } from '../../web/app/route.ts';
import { visible, visibleLine } from '../../web/app/visible.ts';

describe('addresses', () => {
  it('lead to a view on a session, at an event', () => {
    expect(readRoute('#/s/abc/events?at=7')).toEqual({ page: 'session', id: 'abc', view: 'events', at: 7 });
    expect(readRoute('#/s/abc')).toEqual({ page: 'session', id: 'abc', view: 'transcript', at: null });
    expect(readRoute('#/i/2/why')).toEqual({ page: 'imported', id: '2', view: 'why', at: null });
    expect(readRoute('#/')).toMatchObject({ page: 'runs' });
    expect(readRoute('')).toMatchObject({ page: 'runs' });
    expect(readRoute('#/compare?a=1&b=2')).toMatchObject({ page: 'compare' });
  });

  it('that lead nowhere are known as such', () => {
    for (const hash of ['#/nowhere', '#/s', '#/s/a/nonsense', '#/s/%', '#/s/a/why/more', '#/__proto__']) {
      expect(readRoute(hash).page).toBe('unknown');
    }
    expect(readRoute('#/s/a/why?at=-1')).toMatchObject({ at: null });
    expect(readRoute('#/s/a/why?at=1e9')).toMatchObject({ at: null });
  });

  it('are read as they were written, whatever the id', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.nat(), (id, at) => {
        expect(readRoute(sessionAddress({ id }, 'why', at))).toEqual({
          page: 'session',
          id,
          view: 'why',
          at,
        });
      }),
    );
  });
});

describe('a stream of server-sent events', () => {
  const text =
    'event: kept\nid: 7\ndata: {"a":1}\n\n: sign of life\n\r\nevent: live\rdata: x\rdata:y\r\rdata: z\n\nid: 9\n\n';

  it('is read into messages', () => {
    expect(new EventStreamReader().read(text)).toEqual([
      { event: 'kept', data: '{"a":1}', id: '7' },
      { event: 'live', data: 'x\ny', id: null },
      { event: 'message', data: 'z', id: null },
    ]);
  });

  it('is read the same however it is cut', () => {
    const whole = new EventStreamReader().read(text);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
        const reader = new EventStreamReader();
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(whole);
      }),
    );
  });
});

describe('keys', () => {
  const why = { keys: 'g w', does: 'Why', run: vi.fn() };
  const next = { keys: 'j', does: 'Next', run: vi.fn() };
  const other = { keys: 'j', does: 'Next of the view', run: vi.fn() };

  it('work one by one and in sequences', () => {
    const begun = press([why, next], nothingPressed, 'g', 10);
    expect(begun).toEqual({ binding: null, pressed: { before: 'g', at: 10 } });
    expect(press([why, next], begun.pressed, 'w', 20).binding).toBe(why);
    expect(press([why, next], nothingPressed, 'j', 10).binding).toBe(next);
  });

  it('of a sequence that was not ended in time stand for themselves', () => {
    const { pressed } = press([why, next], nothingPressed, 'g', 10);
    expect(press([why, next], pressed, 'j', 20).binding).toBe(next);
    expect(press([why, next], pressed, 'w', 11 + sequenceMs).binding).toBeNull();
  });

  it('of what came later win', () => {
    expect(press([next, other], nothingPressed, 'j', 0).binding).toBe(other);
  });
});

describe('what streams in', () => {
  it('grows until the reply is on record', () => {
    const shown = showLive(showLive(nothingLive, said('Hel')), said('lo'));
    expect(shown.text).toBe('Hello');
    expect(afterKept(shown, { type: 'model-replied', at: 1, text: 'Hello', calls: [] })).toBe(nothingLive);
  });

  it('begins anew with another question', () => {
    expect(showLive(showLive(nothingLive, said('a', 1)), said('b', 2)).text).toBe('b');
  });

  it('has calls piece by piece, and what each tool said last', () => {
    const shown = showLive(showLive(nothingLive, call('{"p')), call('ath"}'));
    expect(shown.calls).toEqual([{ callId: 'a', tool: 'read', args: '{"path"}' }]);
    const progress = showLive(shown, { type: 'tool-progressed', at: 0, callId: 'a', progress: 'half' });
    expect(progress.progress.get('a')).toBe('half');
    const outcome = { ok: true, output: 1 } as const;
    expect(afterKept(progress, { type: 'tool-finished', at: 1, callId: 'a', outcome }).progress.size).toBe(0);
  });
});

describe('texts for people', () => {
  it('say times and amounts in short', () => {
    expect([
      duration(340),
      duration(2_449),
      duration(185_000),
      duration(7_800_000),
      duration(Number.NaN),
    ]).toEqual(['340 ms', '2.4 s', '3 min 05 s', '2 h 10 min', '–']);
    expect([amount(950), amount(12_340), amount(999_999), amount(4_500_000)]).toEqual([
      '950',
      '12.3k',
      '1M',
      '4.5M',
    ]);
    expect([
      ago(0, 1_000),
      ago(0, 5_000),
      ago(0, 180_000),
      ago(0, 7_200_000),
      ago(0, 4 * 86_400_000),
    ]).toEqual(['now', '5 s', '3 min', '2 h', '4 d']);
    expect([money(0), money(0.001), money(1.239)]).toEqual(['0', '<0.01', '1.24']);
    expect([counted(1, 'event'), counted(12_000, 'event')]).toEqual(['1 event', '12,000 events']);
    expect(clockTime(Number.MAX_VALUE)).toBe('–');
  });

  it('spell out what would deceive, and are linear in what they are given', () => {
    expect(visible('a\u202Eb\u0000\u001b[2J\ttab\nline')).toBe('a\\u202eb\\x00\\x1b[2J\ttab\nline');
    expect(visibleLine('a \n b')).toBe('a ⏎ b');
    const begun = performance.now();
    visibleLine(' '.repeat(1_000_000), 1_000_000);
    visible('\n '.repeat(500_000));
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

function said(text: string, request = 1) {
  return { type: 'text-delta', at: 0, text, request } as const;
}

function call(fragment: string) {
  return { type: 'call-delta', at: 0, callId: 'a', tool: 'read', fragment } as const;
}
