import type { Key as InkKey } from 'ink';
import { describe, expect, it } from 'vitest';
import { parseInkKey } from '../../src/tui/terminal-screen.ts';

const none: InkKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

describe('keys', () => {
  it('are converted by name', () => {
    expect(parseInkKey('', { ...none, return: true })).toEqual([{ name: 'enter' }]);
    expect(parseInkKey('', { ...none, tab: true, shift: true })).toEqual([{ name: 'back-tab' }]);
    expect(parseInkKey('c', { ...none, ctrl: true })).toEqual([{ name: 'ctrl', letter: 'c' }]);
    expect(parseInkKey('?', none)).toEqual([{ name: 'text', text: '?' }]);
  });

  it('are split when several arrive at once', () => {
    expect(parseInkKey('be quick\r', none)).toEqual([{ name: 'text', text: 'be quick' }, { name: 'enter' }]);
    expect(parseInkKey('ab\x7fc', none).map(({ name }) => name)).toEqual(['text', 'backspace', 'text']);
  });

  it('insert a new line with Alt-Enter, Shift-Enter and Ctrl-J, and move by words with Alt and Ctrl', () => {
    expect(parseInkKey('', { ...none, return: true, meta: true })).toEqual([{ name: 'newline' }]);
    expect(parseInkKey('', { ...none, return: true, shift: true })).toEqual([{ name: 'newline' }]);
    expect(parseInkKey('\n', none)).toEqual([{ name: 'newline' }]);
    expect(parseInkKey('', { ...none, leftArrow: true, ctrl: true })).toEqual([{ name: 'word-left' }]);
    expect(parseInkKey('f', { ...none, meta: true })).toEqual([{ name: 'alt', letter: 'f' }]);
  });

  it('are ignored when released', () => {
    expect(parseInkKey('y', { ...none, eventType: 'release' })).toEqual([]);
    expect(parseInkKey('', none)).toEqual([]);
  });
});
