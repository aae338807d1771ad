import type { Key as InkKey } from 'ink';
import type { Key } from './keys.ts';

/** What Ink tells of the keyboard, as keys the view knows; none for what means nothing here. */
export function keysOf(input: string, key: InkKey): readonly Key[] {
  if (key.eventType === 'release') return [];
  if (key.tab) return [{ name: key.shift ? 'back-tab' : 'tab' }];
  const named = names.find(([flag]) => key[flag]);
  if (named !== undefined) return [{ name: named[1] }];
  if (key.ctrl) return /^[a-z]$/.test(input) ? [{ name: 'ctrl', letter: input }] : [];
  return key.meta ? [] : typedKeys(input);
}

/** Whoever types faster than they are read has several keys told at once. */
function typedKeys(input: string): readonly Key[] {
  return input.split(separate).flatMap((part): readonly Key[] => {
    if (part === '') return [];
    const name = Object.hasOwn(controls, part) ? controls[part] : undefined;
    return [name === undefined ? { name: 'text', text: part } : { name }];
  });
}

type Flag = Exclude<keyof InkKey, 'eventType'>;
type Named = Exclude<Key['name'], 'text' | 'ctrl'>;

// oxlint-disable-next-line no-control-regex
const separate = /([\r\n\t\u007f])/u;

const controls: { readonly [control: string]: Named } = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
};

const names: readonly (readonly [Flag, Named])[] = [
  ['return', 'enter'],
  ['escape', 'escape'],
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
  ['home', 'home'],
  ['end', 'end'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];
