import { vi } from 'vitest';

type Request = {
  operation: string;
  variables: Record<string, unknown>;
  options: RequestInit;
  answer: (body: unknown) => void;
  /** Answers as a proxy does that has no server behind it. */
  answerStatus: (status: number) => void;
  fail: () => void;
};

/** Stands in for `fetch`: collects the client's requests, which tests answer by hand. */
export function stubServer() {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', (_address: string, options: RequestInit) => {
    const { operationName: operation, variables } = JSON.parse(String(options.body));
    return new Promise<Response>((resolve, reject) => {
      options.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      requests.push({
        operation,
        variables,
        options,
        answer: (body) => resolve(graphqlResponse(body)),
        answerStatus: (status) => resolve(new Response('<html></html>', { status })),
        fail: () => reject(new TypeError('Failed to fetch')),
      });
    });
  });
  return {
    requests,
    /** Waits for a request of the operation and takes it off the list. */
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

export const refused = (code: string, extensions: Record<string, unknown> = {}) => ({
  data: null,
  errors: [{ message: 'x', extensions: { code, ...extensions } }],
});

function graphqlResponse(body: unknown): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/graphql-response+json' },
  });
}
