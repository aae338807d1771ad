import type { Key as InkKey } from 'ink';
import type { KeyPress } from './handle-key.ts';

/** Converts Ink key events to the view's keys; empty for unused keys. */
export function parseInkKey(input: string, key: InkKey): readonly KeyPress[] {
  if (key.eventType === 'release') return [];
  if (key.tab) return [{ name: key.shift ? 'back-tab' : 'tab' }];
  const named = inkKeyNames.find(([flag]) => key[flag]);
  if (named !== undefined) return [{ name: named[1] }];
  if (key.ctrl) return /^[a-z]$/.test(input) ? [{ name: 'ctrl', letter: input }] : [];
  return key.meta ? [] : splitTypedKeys(input);
}

/** Fast typing can deliver several keys in one event. */
function splitTypedKeys(input: string): readonly KeyPress[] {
  return input.split(keySeparator).flatMap((part): readonly KeyPress[] => {
    if (part === '') return [];
    const name = Object.hasOwn(controlKeys, part) ? controlKeys[part] : undefined;
    return [name === undefined ? { name: 'text', text: part } : { name }];
  });
}

type InkKeyFlag = Exclude<keyof InkKey, 'eventType'>;
type NamedKey = Exclude<KeyPress['name'], 'text' | 'ctrl'>;

// oxlint-disable-next-line no-control-regex
const keySeparator = /([\r\n\t\u007f])/u;

const controlKeys: { readonly [control: string]: NamedKey } = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
};

const inkKeyNames: readonly (readonly [InkKeyFlag, NamedKey])[] = [
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
