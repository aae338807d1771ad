/** The theme that the user chose; `system` follows the operating system. */
export type ColorTheme = 'system' | 'light' | 'dark';

const themeStorageKey = 'pawl-theme';
const darkMediaQuery = window.matchMedia('(prefers-color-scheme: dark)');

export function getChosenTheme(): ColorTheme {
  const stored = readStoredTheme();
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function chooseTheme(theme: ColorTheme): void {
  try {
    localStorage.setItem(themeStorageKey, theme);
  } catch {
    // Without browser storage, the theme still applies until the page is closed.
  }
  applyTheme(theme);
}

/** Applies the theme before the first render, and follows changes of the system theme. */
export function startTheme(): void {
  applyTheme(getChosenTheme());
  darkMediaQuery.addEventListener('change', () => applyTheme(getChosenTheme()));
}

function applyTheme(theme: ColorTheme): void {
  const isDark = theme === 'system' ? darkMediaQuery.matches : theme === 'dark';
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  // Canvas drawings must be redrawn in the new colors.
  window.dispatchEvent(new CustomEvent('pawl-theme'));
}

function readStoredTheme(): string | null {
  try {
    return localStorage.getItem(themeStorageKey);
  } catch {
    return null;
  }
}
