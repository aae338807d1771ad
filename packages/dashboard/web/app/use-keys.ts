import { useEffect, useRef } from 'react';
import { nothingPressed, press, type KeyBinding } from './keys.ts';

type Group = { readonly title: string; readonly current: () => readonly KeyBinding[] };

const groups: Group[] = [];
let pressed = nothingPressed;

/** These keys work for as long as the component is there. The title is what they stand under in the help. */
export function useKeys(title: string, bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    const group: Group = { title, current: () => latest.current };
    groups.push(group);
    return () => {
      groups.splice(groups.indexOf(group), 1);
    };
  }, [title]);
}

/** All keys that work now, for the help. */
export function keysNow(): readonly { readonly title: string; readonly bindings: readonly KeyBinding[] }[] {
  return groups.map(({ title, current }) => ({ title, bindings: current() }));
}

export function listenToKeys(): void {
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
      return;
    const all = groups.flatMap(({ current }) => current());
    const { binding, pressed: next } = press(all, pressed, event.key, event.timeStamp);
    pressed = next;
    if (binding === null) return;
    event.preventDefault();
    binding.run();
  });
}

/** Keys that are meant for a field, for an open window or for the drop-down in it are not ours. */
function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  const isText = target instanceof HTMLInputElement && target.type !== 'range' && target.type !== 'checkbox';
  return isText || target.isContentEditable || target.matches('textarea, select');
}
