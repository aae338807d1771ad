import { useEffect, useRef } from 'react';
import { emptyKeySequence, resolveKeyPress, type KeyBinding } from './key-bindings.ts';

type KeyBindingGroup = { readonly title: string; readonly current: () => readonly KeyBinding[] };

const bindingGroups: KeyBindingGroup[] = [];
let currentSequence = emptyKeySequence;

/** Activates key bindings while the component is mounted. The title is their heading in the help dialog. */
export function useKeys(title: string, bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    const group: KeyBindingGroup = { title, current: () => latest.current };
    bindingGroups.push(group);
    return () => {
      bindingGroups.splice(bindingGroups.indexOf(group), 1);
    };
  }, [title]);
}

/** Lists all active key bindings, for the help dialog. */
export function listActiveBindings(): readonly {
  readonly title: string;
  readonly bindings: readonly KeyBinding[];
}[] {
  return bindingGroups.map(({ title, current }) => ({ title, bindings: current() }));
}

export function listenToKeys(): void {
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTextInput(event.target))
      return;
    const all = bindingGroups.flatMap(({ current }) => current());
    const { binding, pressed: next } = resolveKeyPress(all, currentSequence, event.key, event.timeStamp);
    currentSequence = next;
    if (binding === null) return;
    event.preventDefault();
    binding.run();
  });
}

/** Key presses in a text field, an open dialog or a drop-down are not shortcuts. */
function isTextInput(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  const isText = target instanceof HTMLInputElement && target.type !== 'range' && target.type !== 'checkbox';
  return isText || target.isContentEditable || target.matches('textarea, select');
}
