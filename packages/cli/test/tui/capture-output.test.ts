import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { captureOutput } from '../../src/tui/terminal-screen.ts';

describe('captured output', () => {
  it('is redirected while the view owns the terminal, and restored afterwards', async () => {
    const texts: string[] = [];
    const listeners = process.listeners('warning');
    const { log, error } = console;
    const restore = captureOutput((text) => texts.push(text));
    console.log('%s of %d', 'one', 2);
    console.error(new Error('oops').message);
    process.emitWarning('Storage could not be written', 'PawlWarning');
    await soon();
    restore();
    expect(texts).toEqual(['one of 2', 'oops', 'Storage could not be written']);
    expect([console.log, console.error]).toEqual([log, error]);
    expect(process.listeners('warning')).toEqual(listeners);
  });
});
