import { useSyncExternalStore, useEffect } from 'react';
import { parsePageRoute, type PageRoute } from './page-route.ts';
import { toSafeLine } from './safe-text.ts';

/*
 * The route is the hash of the URL. Opening another view adds a history entry. Moving through the events of a session
 * does not, and updates the URL after a short delay because browsers limit how often it may change.
 */
let currentAddress = location.hash;
let currentRoute = parsePageRoute(currentAddress);
/** The address that the URL does not show yet. */
let pendingAddress: string | null = null;
let pendingTimer: number | undefined;
const routeListeners = new Set<() => void>();

export function useRoute(): PageRoute {
  return useSyncExternalStore(subscribeToRoute, () => currentRoute);
}

export function openAddress(to: string): void {
  flushPendingAddress();
  // Update the route synchronously instead of on a later event, so that input in between is not lost.
  if (to !== location.hash) history.pushState(null, '', to);
  showAddress(to);
}

/** Shows another address without adding a history entry. */
export function replaceAddress(to: string): void {
  window.clearTimeout(pendingTimer);
  pendingAddress = to;
  pendingTimer = window.setTimeout(flushPendingAddress, 150);
  showAddress(to);
}

function flushPendingAddress(): void {
  window.clearTimeout(pendingTimer);
  if (pendingAddress !== null) history.replaceState(null, '', pendingAddress);
  pendingAddress = null;
}

function subscribeToRoute(listener: () => void): () => void {
  routeListeners.add(listener);
  return () => routeListeners.delete(listener);
}

function showAddress(to: string): void {
  if (to === currentAddress) return;
  currentAddress = to;
  currentRoute = parsePageRoute(to);
  for (const listener of routeListeners) listener();
}

/** The user followed a link or navigated through the history. */
window.addEventListener('hashchange', () => {
  window.clearTimeout(pendingTimer);
  pendingAddress = null;
  showAddress(location.hash);
});

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${toSafeLine(title, 60)} · Pawl`;
  }, [title]);
}
