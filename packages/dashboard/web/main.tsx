import { createRoot } from 'react-dom/client';
import { DashboardApp } from './shell/app.tsx';
import './app/tokens.css';
import './app/style.css';
import './app/shell.css';
import './app/widgets.css';
import './app/dialogs.css';
import './app/session.css';
import { startTheme } from './app/theme.ts';
import { listenToKeys } from './app/use-keys.ts';

startTheme();
listenToKeys();

const rootElement = document.getElementById('root');
if (rootElement === null) throw new Error('The page has no element #root.');
createRoot(rootElement).render(<DashboardApp />);
