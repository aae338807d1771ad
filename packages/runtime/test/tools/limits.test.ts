import type { Json } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultToolLimits, applyToolLimits } from '../../src/tools/limits.ts';
import { capText, OutputEndsBuffer, formatOutputEnds } from '../../src/tools/output-cap.ts';
import type { Tool, ToolResult } from '../../src/tools/tool.ts';
import { createHandClock } from './hand-clock.ts';
import { matchRefusal, runTestTool } from './run-test-tool.ts';

const createTool = (run: Tool['run'], own: Partial<Tool> = {}): Tool => ({
  description: { name: 'work', description: '', parameters: {} },
  run,
  ...own,
});
const getOnlyTool = ([tool]: readonly Tool[]): Tool => {
  if (tool === undefined) throw new Error('There is no tool.');
  return tool;
};

const neverResolve = (): Promise<ToolResult> => new Promise(() => undefined);
const getLimitedTimeout = (tool: Tool, limits = {}): unknown =>
  getOnlyTool(applyToolLimits([tool], limits)).timeoutMs;
const runLimitedOutput = (output: Json, outputCharsMax: number): Promise<ToolResult> =>
  runTestTool(
    getOnlyTool(
      applyToolLimits([createTool(() => Promise.resolve({ ok: true, output }), { outputCharsMax })]),
    ),
    {},
  );

describe('the timeout of a call', () => {
  it("is configurable per tool, and overrides the tool's own and the default timeout [NEX-122]", () => {
    const own = createTool(neverResolve, { timeoutMs: 5 });
    expect(getLimitedTimeout(createTool(neverResolve))).toBe(defaultToolLimits.timeoutMs);
    expect(getLimitedTimeout(own)).toBe(5);
    expect(getLimitedTimeout(own, { work: { timeoutMs: 7 } })).toBe(7);
    expect(getLimitedTimeout(own, { work: { timeoutMs: null } })).toBeNull();
    expect(getLimitedTimeout(own, { other: { timeoutMs: 7 } })).toBe(5);
  });

  it('ends a call that ignores the signal, after a grace period, as a timeout [NEX-122]', async () => {
    const clock = createHandClock();
    const ended = runTestTool(
      getOnlyTool(applyToolLimits([createTool(neverResolve)], { work: { timeoutMs: 1_000 } }, clock)),
      {},
    );
    let isOver = false;
    void ended.then(() => (isOver = true));
    await clock.pass(1_000);
    expect(isOver).toBe(false);
    await clock.pass(3_000);
    expect(await ended).toEqual(matchRefusal('timeout', /work timed out after 1 s/));
  });

  it('aborts a call that observes the signal, whose cancellation then counts as a timeout', async () => {
    const clock = createHandClock();
    const listens = createTool(
      (_, { signal }) =>
        new Promise((resolve) => {
          const off: ToolResult = { ok: false, error: { kind: 'cancelled', message: 'called off' } };
          signal.addEventListener('abort', () => resolve(off), { once: true });
        }),
    );
    const ended = runTestTool(
      getOnlyTool(applyToolLimits([listens], { work: { timeoutMs: 50 } }, clock)),
      {},
    );
    await clock.pass(50);
    expect(await ended).toEqual(matchRefusal('timeout', /timed out/));
    const controller = new AbortController();
    const other = runTestTool(
      getOnlyTool(applyToolLimits([listens], {}, clock)),
      {},
      { signal: controller.signal },
    );
    controller.abort();
    expect(await other).toEqual(matchRefusal('cancelled', /called off/));
  });

  it('does not affect a call that ends in time or throws', async () => {
    const fine = createTool(() => Promise.resolve({ ok: true, output: 1 }));
    expect(await runTestTool(getOnlyTool(applyToolLimits([fine])), {})).toEqual({ ok: true, output: 1 });
    const broken = createTool(() => Promise.reject(new Error('broken')));
    await expect(runTestTool(getOnlyTool(applyToolLimits([broken])), {})).rejects.toThrow('broken');
  });
});

describe('the output of a call', () => {
  it('is unchanged within its limit and truncated in the middle beyond it', async () => {
    expect(await runLimitedOutput({ a: [1, 2] }, 100)).toEqual({ ok: true, output: { a: [1, 2] } });
    expect(await runLimitedOutput('x'.repeat(100), 100)).toEqual({ ok: true, output: 'x'.repeat(100) });
    const cut = await runLimitedOutput(`begin${'x'.repeat(10_000)}end`, 100);
    expect(cut.ok && cut.output).toMatch(/^beginx+\n\[… 9908 characters left out …\]\nx+end$/);
    const listed = await runLimitedOutput(
      Array.from({ length: 1_000 }, (_, at) => at),
      100,
    );
    expect(listed.ok && listed.output).toMatch(/^\[0,1,2,[\s\S]*,999\]$/);
  });

  it('is truncated in an error, too', async () => {
    const fails = createTool(
      () => Promise.resolve({ ok: false, error: { kind: 'failed', message: 'no'.repeat(1_000) } }),
      { outputCharsMax: 50 },
    );
    const result = await runTestTool(getOnlyTool(applyToolLimits([fails])), {});
    expect(result).toEqual(
      matchRefusal('failed', /^(?:no)+n?\n\[… \d+ characters left out …\]\nn?o?(?:no)+$/),
    );
  });

  it('nested too deeply to serialize is an error, not a crash', async () => {
    let deep: Json = 0;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(await runLimitedOutput(deep, 100)).toEqual(matchRefusal('failed', /nested too deeply/));
  });
});

describe('both ends of a text', () => {
  it('are the first and last bytes, whatever the chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 30 })),
        fc.integer({ min: 1, max: 40 }),
        (chunks, max) => {
          const ends = new OutputEndsBuffer(max);
          for (const chunk of chunks) ends.add(Buffer.from(chunk));
          const all = Buffer.concat(chunks);
          const { head, tail, total } = ends.ends();
          expect(total).toBe(all.length);
          expect(head.equals(all.subarray(0, max))).toBe(true);
          expect(tail.equals(all.subarray(Math.max(max, all.length - max)))).toBe(true);
        },
      ),
    );
  });

  it('never contain half a character', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 20 }), (whole, max) => {
        const ends = new OutputEndsBuffer(max);
        ends.add(Buffer.from(whole));
        const shown = formatOutputEnds(ends.ends(), () => '…');
        if (!whole.includes('\ufffd')) expect(shown).not.toContain('\ufffd');
        expect(capText(whole, max).isWellFormed()).toBe(true);
      }),
    );
  });
});
