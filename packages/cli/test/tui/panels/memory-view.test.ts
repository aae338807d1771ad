import { emptyMemory, memorySettings, put } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import type { ScreenModel } from '../../../src/tui/screen.ts';
import { opened, pressed, screen } from '../fixtures/shown.ts';

/** A view of a session that holds these in mind. */
function remembering(entries: { readonly [key: string]: string | readonly string[] }): ScreenModel {
  const model = opened({ mode: 'run' });
  let memory = emptyMemory(memorySettings.pawl);
  for (const [key, value] of Object.entries(entries)) memory = put(memory, { key, value, at: 0 });
  return { ...model, session: { ...model.session, memory } };
}

const memoryOf = (model: ScreenModel): ScreenModel => pressed(model, 'tab', 'tab', 'tab').model;

describe('the view of the memory', () => {
  it('lists the entries by key, and shows the chosen one whole', () => {
    const model = memoryOf(
      remembering({ plan: 'Look, then mend.', files: ['a.js', 'b.js'], __proto__x: 'odd' }),
    );
    const text = screen(model);
    expect(text).toMatch(/ ▸ __proto__x +\d+ tokens/);
    expect(text).toMatch(/__proto__x.*\n {3}files +\d+ tokens\n {3}plan +\d+ tokens/);
    expect(text).toContain('   │ odd');
    const down = pressed(model, 'down', 'down', 'down').model;
    expect(screen(down)).toMatch(/ ▸ plan +\d+ tokens/);
    expect(screen(down)).toContain('   │ Look, then mend.');
    expect(screen(pressed(down, 'up').model)).toContain('   │   "a.js",');
  });

  it('goes through a thousand entries', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`key-${1_000 + index}`, `value ${index}`]),
    );
    const last = pressed(memoryOf(remembering(many)), 'end').model;
    expect(screen(last)).toMatch(/ ▸ key-1999/);
    expect(screen(last)).toContain('   │ value 999');
    expect(screen(pressed(last, 'home').model)).toMatch(/ ▸ key-1000/);
  });

  it('says when there is nothing', () => {
    expect(screen(memoryOf(remembering({})))).toContain('Working memory is empty.');
    expect(screen(memoryOf(opened({ mode: 'run' })))).toContain('This profile has no working memory.');
  });

  it('is summed up in the view of the work', () => {
    const model = remembering({ plan: 'x'.repeat(8_000) });
    expect(screen(model)).toMatch(/ memory {3}▰▰▰▱▱▱ 49 % of 4,096 tokens, 1 entry/);
  });
});
