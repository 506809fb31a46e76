import type { Failure } from '../api/failure.ts';
import { loadApi } from '../api/loadApi.ts';
import type { Account } from '../session/storage.ts';

/** Signs in over the GraphQL client, which is loaded only now if the idle page has not loaded it yet. */
export async function signIn(username: string, password: string): Promise<Account | Failure> {
  const api = await loadApi().catch(() => null);
  return api ? api.logIn(username, password) : { code: 'NOT_LOADED' };
}
