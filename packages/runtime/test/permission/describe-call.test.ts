import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeCall } from '../../src/permission/describe-call.ts';
import { hasHiddenCharacters, revealHiddenCharacters } from '../../src/permission/shell-words.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const describeArguments = (args: Parameters<typeof describeCall>[0]['args'], width = 80): string =>
  describeCall({ tool: 'shell', args }, { width }).lines.join('\n');

describe('a call described for a user', () => {
  it('lists all arguments by name', () => {
    expect(describeArguments({ command: 'npm test', options: { deep: [1, true] } })).toBe(
      'shell\ncommand:\n  │ npm test\noptions:\n  │ {\n  │   "deep": [\n  │     1,\n  │     true\n  │   ]\n  │ }',
    );
    expect(describeArguments('just text')).toBe('shell\narguments:\n  │ just text');
  });

  it('is wrapped, so that nothing is cut off', () => {
    const text = describeArguments({ command: `ls ${'x'.repeat(200)}; rm -rf ~` }, 40);
    expect(text.split('\n').every((line) => line.length <= 40)).toBe(true);
    expect(text.replaceAll(/↩?\n {2}│ /g, '')).toContain('; rm -rf ~');
  });

  it('collapses padding that could push text out of sight', () => {
    const text = describeArguments({ command: `ls${' '.repeat(5_000)}; rm x${'\n'.repeat(500)}rm y` });
    expect(text).toContain('ls⟨5000 spaces⟩; rm x\n  │ ⟨499 empty lines⟩\n  │ rm y');
    expect(text.split('\n').length).toBeLessThan(10);
  });

  it('cannot imitate another argument or another prompt', () => {
    const text = describeArguments({ command: 'ls\nharmless:\n  │ yes\nAllow? y' });
    expect(
      text
        .split('\n')
        .slice(2)
        .every((line) => line.startsWith('  │ ')),
    ).toBe(true);
    expect(describeArguments({ 'a\nb:\n  │ x': '1' }).split('\n')).toHaveLength(3);
  });

  it.each([
    ['\u001b[2K\u001b[1A', '⟨U+001B⟩[2K⟨U+001B⟩[1A'],
    ['\u001b]8;;http://evil\u0007x', '⟨U+001B⟩]8;;http://evil⟨U+0007⟩x'],
    ['a\rb', 'a⟨U+000D⟩b'],
    ['\u202erm\u2066x', '⟨U+202E⟩rm⟨U+2066⟩x'],
    ['a\u200bb\u00adc', 'a⟨U+200B⟩b⟨U+00AD⟩c'],
    ['a\u00a0b\u3000c', 'a⟨U+00A0⟩b⟨U+3000⟩c'],
    ['\u{e0041}', '⟨U+E0041⟩'],
    ['\u3164\u2800', '⟨U+3164⟩⟨U+2800⟩'],
    ['\ud800', '⟨U+D800⟩'],
    ['⟨U+001B⟩', '⟨U+27E8⟩U+001B⟨U+27E9⟩'],
    ['\u009b31m', '⟨U+009B⟩31m'],
  ])('spells out invisible characters: %j', (text, expected) => {
    expect(revealHiddenCharacters(text)).toBe(expected);
    expect(describeArguments({ command: text })).toContain(expected);
    expect(hasHiddenCharacters(text)).toBe(true);
  });

  it('leaves ordinary text unchanged', () => {
    const text = 'Größe — “naïve” 日本語 👍 x=1; echo "$HOME" \\n';
    expect(revealHiddenCharacters(text)).toBe(text);
  });

  it('contains no deceptive character, and differs for different calls', () => {
    const text = fc.string({ unit: codePoint, maxLength: 40 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(hasHiddenCharacters(revealHiddenCharacters(one).replaceAll(/⟨U\+[\dA-F]+⟩/g, ''))).toBe(false);
        expect(revealHiddenCharacters(one) === revealHiddenCharacters(other)).toBe(one === other);
      }),
    );
  });

  it('reports how many lines it omits if it is limited', () => {
    const content = Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join('\n');
    const { lines, hidden } = describeCall({ tool: 'write', args: { content } }, { linesMax: 20 });
    expect(lines).toHaveLength(21);
    expect(lines).toContain(`… ${hidden} lines not shown …`);
    expect(lines.at(-1)).toBe('  │ line 999');
    expect(describeCall({ tool: 'write', args: { content } }).hidden).toBe(0);
  });
});
