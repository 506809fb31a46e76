import './styles/tokens.css';
import './styles/pitch.css';
import './styles/base.css';
// Not imported by its component, which vite.config.ts also renders.
import './layout/EntranceLayout.css';
import { ApolloProvider } from '@apollo/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { startAnalytics } from './analytics/track.ts';
import { apolloClient } from './api/apolloClient.ts';
import { CrashPage } from './layout/CrashPage.tsx';
import { ErrorBoundary } from './layout/ErrorBoundary.tsx';
import { NewVersionMessage } from './layout/NewVersionMessage.tsx';
import { OperatorNotice } from './layout/OperatorNotice.tsx';
import { ignoreHeldEnter } from './layout/onePress.ts';

ignoreHeldEnter();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary fallback={<CrashPage />}>
      <ApolloProvider client={apolloClient}>
        <ErrorBoundary>
          <NewVersionMessage />
          <OperatorNotice />
        </ErrorBoundary>
        <App />
      </ApolloProvider>
    </ErrorBoundary>
  </StrictMode>,
);
startAnalytics();
