import './styles/variables.css';
import './styles/pitch.css';
import './styles/base.css';
// Not imported by its components, some of which vite.config.ts also renders.
import './login/entrance.css';
import './layout/layout.css';
import { ApolloProvider } from '@apollo/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { startAnalytics } from './analytics/analytics.ts';
import { createApolloClient } from './api/createApolloClient.ts';
import { ErrorBoundary } from './layout/ErrorBoundary.tsx';
import { CrashPage } from './layout/MessagePages.tsx';
import { NewVersionMessage } from './layout/NewVersionMessage.tsx';
import { OperatorNotice } from './layout/OperatorNotice.tsx';
import { ignoreHeldEnter } from './layout/onePress.ts';
import { Requests } from './Requests.tsx';
import { startPage } from './startPage.ts';
import { PageContext } from './usePage.ts';

ignoreHeldEnter();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
const page = startPage();
createRoot(root).render(
  <StrictMode>
    <PageContext value={page}>
      <ApolloProvider client={createApolloClient(page)}>
        <Requests />
        <ErrorBoundary fallback={<CrashPage />}>
          <ErrorBoundary>
            <NewVersionMessage />
            <OperatorNotice />
          </ErrorBoundary>
          <App />
        </ErrorBoundary>
      </ApolloProvider>
    </PageContext>
  </StrictMode>,
);
startAnalytics();
