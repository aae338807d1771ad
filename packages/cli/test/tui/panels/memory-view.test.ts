import { createMemory, memorySettings, putEntry } from '@pawl/core/memory';
import { describe, expect, it } from 'vitest';
import type { ScreenModel } from '../../../src/tui/screen-model.ts';
import { createTextKey, openTestScreen, pressKeys, renderScreenText } from '../fixtures/test-screen.ts';

/** A view of a session with these memory entries. */
function createMemoryModel(entries: { readonly [key: string]: string | readonly string[] }): ScreenModel {
  const model = openTestScreen({ mode: 'run' });
  let memory = createMemory(memorySettings.pawl);
  for (const [key, value] of Object.entries(entries)) memory = putEntry(memory, { key, value, at: 0 });
  return { ...model, session: { ...model.session, memory } };
}

const switchToMemoryView = (model: ScreenModel): ScreenModel =>
  pressKeys(model, createTextKey('/memory'), 'enter').model;

describe('the memory view', () => {
  it('lists the entries by key, and shows the selected one in full', () => {
    const model = switchToMemoryView(
      createMemoryModel({ plan: 'Look, then mend.', files: ['a.js', 'b.js'], __proto__x: 'odd' }),
    );
    const text = renderScreenText(model);
    expect(text).toMatch(/ ▸ __proto__x +\d+ tokens/);
    expect(text).toMatch(/__proto__x.*\n {3}files +\d+ tokens\n {3}plan +\d+ tokens/);
    expect(text).toContain('   │ odd');
    const down = pressKeys(model, 'down', 'down', 'down').model;
    expect(renderScreenText(down)).toMatch(/ ▸ plan +\d+ tokens/);
    expect(renderScreenText(down)).toContain('   │ Look, then mend.');
    expect(renderScreenText(pressKeys(down, 'up').model)).toContain('   │   "a.js",');
  });

  it('scrolls through a thousand entries', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`key-${1_000 + index}`, `value ${index}`]),
    );
    const last = pressKeys(switchToMemoryView(createMemoryModel(many)), 'end').model;
    expect(renderScreenText(last)).toMatch(/ ▸ key-1999/);
    expect(renderScreenText(last)).toContain('   │ value 999');
    expect(renderScreenText(pressKeys(last, 'home').model)).toMatch(/ ▸ key-1000/);
  });

  it('states when memory is empty or missing', () => {
    expect(renderScreenText(switchToMemoryView(createMemoryModel({})))).toContain('Working memory is empty.');
    expect(renderScreenText(switchToMemoryView(openTestScreen({ mode: 'run' })))).toContain(
      'This profile has no working memory.',
    );
  });

  it('shows how full it is', () => {
    const model = createMemoryModel({ plan: 'x'.repeat(8_000) });
    const text = renderScreenText(switchToMemoryView(model));
    expect(text).toMatch(/ held {8}▰▰▰▰▱▱▱▱ 2,0\d\d\/4,096\n 1 entry\n/);
  });
});
