import type { Failure } from '../failure.ts';
import { loadApi } from '../loadApi.ts';
import type { Account } from '../storage.ts';

/** Signs in over the GraphQL client, which is loaded only now if the idle page has not loaded it yet. */
export async function signIn(username: string, password: string): Promise<Account | Failure> {
  const api = await loadApi().catch(() => null);
  return api ? api.logIn(username, password) : { code: 'NOT_LOADED' };
}
