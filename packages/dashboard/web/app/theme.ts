/** What the reader chose; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark';

const key = 'pawl-theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export function chosenTheme(): Theme {
  const kept = read();
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // A browser that keeps nothing still shows it until the page is left.
  }
  show(theme);
}

/** Sets the theme before anything is drawn, and follows the machine when it changes. */
export function startTheme(): void {
  show(chosenTheme());
  dark.addEventListener('change', () => show(chosenTheme()));
}

function show(theme: Theme): void {
  const isDark = theme === 'system' ? dark.matches : theme === 'dark';
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  // For whoever drew on a canvas in the colours there were.
  window.dispatchEvent(new CustomEvent('pawl-theme'));
}

function read(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
