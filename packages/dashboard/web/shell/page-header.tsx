import { useState } from 'react';
import type { ConnectionStatus } from '../app/stream-subscription.ts';
import { SvgIcon } from '../app/widgets/svg-icon.tsx';
import { chooseTheme, getChosenTheme, type ColorTheme } from '../app/theme.ts';

const navigationItems = [
  { page: 'runs', address: '#/', name: 'Runs' },
  { page: 'approvals', address: '#/approvals', name: 'Approvals' },
  { page: 'compare', address: '#/compare', name: 'Compare' },
  { page: 'fleet', address: '#/fleet', name: 'Fleet' },
  { page: 'import', address: '#/import', name: 'Import' },
] as const;

type PageHeaderProps = {
  readonly page: string;
  readonly asks: number;
  readonly connection: ConnectionStatus;
  readonly openHelp: () => void;
};

export function PageHeader({ page, asks, connection, openHelp }: PageHeaderProps) {
  return (
    <header className="top">
      <a className="brand" href="#/" aria-label="Pawl: list of runs">
        <svg viewBox="0 0 24 24" aria-hidden="true" className="logo">
          <path
            d="M12.6 3.0L13.1 5.4L18.8 5.2L17.6 7.4L22.1 10.9L19.8 11.8L20.9 17.4L18.6 16.6L15.9 21.6L14.6 19.5L9.3 21.6L9.7 19.2L4.3 17.4L6.1 15.8L3.1 10.9L5.6 10.9L6.4 5.2L8.4 6.8z"
            className="logo-wheel"
          />
          <circle cx="12.6" cy="12.6" r="2.6" className="logo-hub" />
          <path d="M1.2 1.6l4.4-.8 7.2 6.6-1.2 1.5z" className="logo-pawl" />
        </svg>
        <span>Pawl</span>
      </a>
      <nav aria-label="Pages">
        {navigationItems.map((item) => (
          <a
            key={item.page}
            href={item.address}
            className={item.page === page ? 'here' : ''}
            aria-current={item.page === page ? 'page' : undefined}
          >
            {item.name}
            {item.page === 'approvals' && asks > 0 && (
              <span className="count" aria-label={`${asks} waiting`}>
                {asks}
              </span>
            )}
          </a>
        ))}
      </nav>
      <div className="top-right">
        <ConnectionIndicator connection={connection} />
        <ThemeButton />
        <button
          type="button"
          className="icon"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={openHelp}
        >
          ?
        </button>
      </div>
    </header>
  );
}

const connectionLabels: Readonly<Record<ConnectionStatus, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'Reconnecting',
  asleep: 'Paused',
  'signed-out': 'Signed out',
  gone: 'Not found',
};

export function ConnectionIndicator({ connection }: { readonly connection: ConnectionStatus }) {
  return (
    <span className={`connection ${connection}`} role="status" data-connection={connection}>
      <span className="dot" aria-hidden="true" />
      <span className="connection-words">{connectionLabels[connection]}</span>
    </span>
  );
}

const nextTheme: Readonly<Record<ColorTheme, ColorTheme>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};

function ThemeButton() {
  const [theme, setTheme] = useState(getChosenTheme);
  const next = nextTheme[theme];
  return (
    <button
      type="button"
      className="icon"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
      onClick={() => {
        chooseTheme(next);
        setTheme(next);
      }}
    >
      <SvgIcon name={theme} />
    </button>
  );
}
