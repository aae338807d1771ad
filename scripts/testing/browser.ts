import { chromium, type Browser } from 'playwright-core';
import { findProgram, programs } from '../setup/system-packages.mjs';

/** Returns the path of the machine's own Chromium, or null. */
export function findBrowser(): string | null {
  return findProgram(programs.find(({ tag }) => tag === 'chromium')?.commands ?? []);
}

/** Starts it headless and without background connections. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findBrowser() ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
