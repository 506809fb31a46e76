import type autocannon from 'autocannon';
import { GRAPHQL_PATH } from '../shared/paths.ts';

export type Request = Pick<autocannon.Request, 'method' | 'path' | 'headers' | 'body'>;

export const CREATE_TOKEN = 'mutation { createToken { token streamUrl company expiry lifetimeSeconds } }';
const LOGIN = `mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) { id company expiry jwt }
}`;

/** More than sign in at once, so that the limits of a single account do not apply. */
export const PARTNERS = 32;
export const PASSWORD = 'secreto-1';

export function usernameOf(partner: number): string {
  return `radio-${partner % PARTNERS}@uno.example`;
}

export function graphqlRequest(operation: object, headers: Record<string, string> = {}): Request {
  return {
    method: 'POST',
    path: GRAPHQL_PATH,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(operation),
  };
}

export function signInRequest(
  partner: number,
  headers: Record<string, string>,
  { username = usernameOf(partner), password = PASSWORD } = {},
): Request {
  return graphqlRequest({ query: LOGIN, variables: { username, password } }, headers);
}

let addresses = 0;

/** The header that a proxy adds for a caller from a network that was not seen before, so that no limit applies. */
export function fromNewAddress(): Record<string, string> {
  addresses += 1;
  const network = addresses.toString(16).padStart(8, '0');
  return { 'x-forwarded-for': `fd00:${network.slice(0, 4)}:${network.slice(4)}::1` };
}
