import './styles/tokens.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { startAnalytics } from './analytics/track.ts';
import { loadDashboard } from './dashboard/loadDashboard.ts';
import { ErrorBoundary } from './layout/ErrorBoundary.tsx';
import { ignoreHeldEnter } from './layout/onePress.ts';
import { localRecords } from './session/localRecords.ts';

// Signed in means the dashboard: its code may come while React starts. A failure shows when it is rendered.
if (localRecords.account()) loadDashboard().catch(() => undefined);

ignoreHeldEnter();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <App />
    </ErrorBoundary>
  </StrictMode>,
);
startAnalytics();
