import { useCallback, useEffect, useState } from 'react';
import { loadApi, loadedApi } from '../api/loadApi.ts';
import type { CreateToken, DashboardQuery } from '../api/Operations.tsx';

/**
 * What the dashboard asks of the server, whose code is loaded once the dashboard stands. To be rendered: `Operations`, as soon as it
 * is there. That it could not be loaded reads as a query that failed; a token is created as soon as it is there.
 */
export function useOperations() {
  const [api, setApi] = useState(loadedApi);
  const [query, onQuery] = useState<DashboardQuery>({ refetch: () => Promise.resolve() });
  const [creation] = useState(awaitedOperation);

  const load = useCallback(async () => {
    try {
      setApi(await loadApi());
    } catch (error) {
      onQuery({ error, refetch: load });
    }
  }, []);

  useEffect(() => {
    load();
  }, [load]);

  const createToken: CreateToken = async () => {
    try {
      setApi(await loadApi());
    } catch {
      return { code: navigator.onLine ? 'NOT_LOADED' : 'NO_NETWORK' };
    }
    const create = await creation.operation;
    return create();
  };

  return {
    Operations: api?.Operations ?? null,
    query,
    onQuery,
    onCreateToken: creation.arrived,
    createToken,
  };
}

function awaitedOperation() {
  let arrived = (_operation: CreateToken) => {};
  const operation = new Promise<CreateToken>((resolve) => {
    arrived = resolve;
  });
  return { operation, arrived };
}
