import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
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

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element #root to draw in.');
createRoot(root).render(<App />);
