import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { captureOutput } from '../../src/tui/capture-output.ts';

describe('output of others', () => {
  it('is handed over while the view has the terminal, and goes its way again afterwards', async () => {
    const heard: string[] = [];
    const listeners = process.listeners('warning');
    const { log, error } = console;
    const letGo = captureOutput((text) => heard.push(text));
    console.log('%s of %d', 'one', 2);
    console.error(new Error('oops').message);
    process.emitWarning('Storage could not be written', 'PawlWarning');
    await soon();
    letGo();
    expect(heard).toEqual(['one of 2', 'oops', 'Storage could not be written']);
    expect([console.log, console.error]).toEqual([log, error]);
    expect(process.listeners('warning')).toEqual(listeners);
  });
});
