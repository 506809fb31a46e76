import { ApolloProvider } from '@apollo/client/react';
import { cleanup, configure } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, vi } from 'vitest';
import { createApolloClient } from '../../client/api/createApolloClient.ts';
import { startPage } from '../../client/startPage.ts';
import { PageContext } from '../../client/usePage.ts';

configure({ asyncUtilTimeout: 60_000 });

type Request = {
  operation: string;
  variables: Record<string, unknown>;
  options: RequestInit;
  answer: (body: unknown, headers?: Record<string, string>) => void;
  /** Answers with a page, as a proxy does that has no server behind it. */
  answerStatus: (status: number, headers?: Record<string, string>) => void;
  fail: () => void;
};

/**
 * Stands in for `fetch` in each test of a file: collects the client's requests, which tests answer by hand. Each test
 * has a page of its own, which opens when it is first asked for, and ends with real time and globals.
 */
export function fakeServer() {
  const requests: Request[] = [];
  let opened: ReturnType<typeof openPage> | null = null;

  function open() {
    opened ??= openPage();
    return opened;
  }

  function closePage(): void {
    opened?.page.close();
    opened = null;
  }

  beforeEach(() => {
    requests.length = 0;
    // jsdom lays nothing out, and has none.
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe() {}
        disconnect() {}
      },
    );
    vi.stubGlobal('fetch', (_address: string, options: RequestInit) => {
      const { operationName: operation, variables } = JSON.parse(String(options.body));
      return new Promise<Response>((resolve, reject) => {
        options.signal?.throwIfAborted();
        options.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
        requests.push({
          operation,
          variables,
          options,
          answer: (body, headers) => resolve(graphqlResponse(body, headers)),
          answerStatus: (status, headers) =>
            resolve(
              new Response('<html></html>', { status, headers: { 'content-type': 'text/html', ...headers } }),
            ),
          fail: () => reject(new TypeError('Failed to fetch')),
        });
      });
    });
  });

  afterEach(() => {
    cleanup();
    closePage();
    localStorage.clear();
    sessionStorage.clear();
    document.head.replaceChildren();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  return {
    requests,
    page: () => open().page,
    client: () => open().client,
    /** The next page is another one, as after a reload. */
    closePage,
    Wrapper({ children }: { children: ReactNode }) {
      const { page, client } = open();
      return (
        <PageContext value={page}>
          <ApolloProvider client={client}>{children}</ApolloProvider>
        </PageContext>
      );
    },
    requested: (operation: string) =>
      vi.waitFor(
        () => {
          const index = requests.findIndex((each) => each.operation === operation);
          const [request] = index < 0 ? [] : requests.splice(index, 1);
          if (!request) throw new Error(`${operation} was not requested`);
          return request;
        },
        { timeout: 60_000 },
      ),
  };
}

function openPage() {
  const page = startPage();
  return { page, client: createApolloClient(page) };
}

export const refused = (code: string, extensions: Record<string, unknown> = {}) => ({
  data: null,
  errors: [{ message: 'x', extensions: { code, ...extensions } }],
});

function graphqlResponse(body: unknown, headers?: Record<string, string>): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/graphql-response+json', ...headers },
  });
}
