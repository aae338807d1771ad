import { useSyncExternalStore } from 'react';
import { readRoute, type Route } from './route.ts';

/*
 * The address is the hash of the page. Going to another view is a step that "back" undoes; moving through the events of a
 * session is not, and the address follows a moment later, since browsers refuse to have it changed many times a second.
 */
let address = location.hash;
let route = readRoute(address);
/** Where the address is yet to follow to. */
let pending: string | null = null;
let timer: number | undefined;
const listeners = new Set<() => void>();

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, () => route);
}

export function open(to: string): void {
  settle();
  // At once, and not by an event that comes later: what is typed in between would be lost.
  if (to !== location.hash) history.pushState(null, '', to);
  show(to);
}

/** Shows another place without a new step in the history. */
export function moveTo(to: string): void {
  window.clearTimeout(timer);
  pending = to;
  timer = window.setTimeout(settle, 150);
  show(to);
}

function settle(): void {
  window.clearTimeout(timer);
  if (pending !== null) history.replaceState(null, '', pending);
  pending = null;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(to: string): void {
  if (to === address) return;
  address = to;
  route = readRoute(to);
  for (const listener of listeners) listener();
}

/** A link was followed, or the reader went back. */
window.addEventListener('hashchange', () => {
  window.clearTimeout(timer);
  pending = null;
  show(location.hash);
});
