/**
 * Creates a token and prints the stream's address. Needs Node and no package; `generated/` is made by codegen from
 * `operations.graphql` and the API's schema, so that answers and error codes are typed.
 *
 *     AUDIO_KEY=… npx tsx docs/examples/token.ts
 *
 * With AUDIO_USERNAME and AUDIO_PASSWORD instead of a key it signs in before and signs out afterwards.
 * From Node 22.18 on, `node docs/examples/token.ts` does as well.
 * Waits as long as a limit says. Ends with 75 when the same may work later, with 1 when it will not.
 */
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorCode } from './generated/enums.ts';
import {
  CreateTokenDocument,
  SignInDocument,
  SignOutDocument,
  type TypedDocumentString,
} from './generated/graphql.ts';

// Reaches a slow IPv4 address beside an IPv6 that leads nowhere.
net.setDefaultAutoSelectFamilyAttemptTimeout(600);

const { AUDIO_API = 'http://127.0.0.1:4000/graphql', AUDIO_KEY = '' } = process.env;
const { AUDIO_USERNAME = '', AUDIO_PASSWORD = '' } = process.env;

type Code = ErrorCode | 'NO_ANSWER' | 'MISUSED';

const WILL_NOT_WORK: Code[] = [
  'INVALID_CREDENTIALS',
  'UNAUTHENTICATED',
  'BAD_USER_INPUT',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'BAD_REQUEST',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'MISUSED',
];

type Answer<Data> = {
  data?: Data | null;
  errors?: Array<{ message: string; extensions: { code: ErrorCode; retryAfterSeconds?: number } }>;
};

class Refused extends Error {
  readonly code: Code;

  constructor(code: Code, reason: string, requestId?: string | null) {
    super(`${code}: ${reason}${requestId ? ` (x-request-id ${requestId})` : ''}`);
    this.code = code;
  }
}

/**
 * Asks again after the wait of a limit.
 * @throws {Refused} with the code of the failure, or `NO_ANSWER` without a readable answer
 */
async function ask<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  bearer?: string,
): Promise<Data> {
  const response = await fetch(AUDIO_API, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify({ query: document.toString(), variables }),
    redirect: 'error',
    signal: AbortSignal.timeout(21_000),
  }).catch(({ name, cause }: Error & { cause?: { code?: string; message?: string } }) => {
    if (/CERT|SIGNATURE/.test(cause?.code ?? '')) {
      throw new Refused('MISUSED', `the certificate of AUDIO_API is not accepted (${cause?.code})`);
    }
    throw new Refused('NO_ANSWER', cause?.code ?? cause?.message ?? name);
  });
  const requestId = response.headers.get('x-request-id');
  const answer: Answer<Data> = await response.json().catch(() => ({}));
  const error = answer.errors?.[0];
  if (error) {
    const { code, retryAfterSeconds } = error.extensions;
    const refused = new Refused(code, error.message, requestId);
    if (retryAfterSeconds === undefined) throw refused;
    console.warn(`${refused.message}; waiting ${retryAfterSeconds} s`);
    await delay(retryAfterSeconds * 1_000);
    return ask(document, variables, bearer);
  }
  if (!answer.data) throw new Refused('NO_ANSWER', `no JSON, but status ${response.status}`, requestId);
  return answer.data;
}

async function signIn(): Promise<string> {
  if (!AUDIO_USERNAME) throw new Refused('MISUSED', 'AUDIO_USERNAME is missing, or AUDIO_KEY');
  if (!AUDIO_PASSWORD) throw new Refused('MISUSED', 'AUDIO_PASSWORD is missing, or AUDIO_KEY');
  const { login } = await ask(SignInDocument, { username: AUDIO_USERNAME, password: AUDIO_PASSWORD });
  return login.jwt;
}

async function signOut(jwt: string): Promise<void> {
  await ask(SignOutDocument, {}, jwt).catch(({ message }: Error) =>
    console.warn(`The session was not ended: ${message}`),
  );
}

function isPrivate(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}

try {
  if (!isPrivate(AUDIO_API)) {
    throw new Refused(
      'MISUSED',
      'AUDIO_API has to be an https:// address; http:// leads to this machine alone',
    );
  }
  // Node 24 with NODE_USE_ENV_PROXY would let a proxy see the key.
  if (new URL(AUDIO_API).protocol === 'http:') process.env.no_proxy = '*';
  const bearer = AUDIO_KEY || (await signIn());
  try {
    const { createToken } = await ask(CreateTokenDocument, {}, bearer);
    console.warn(`Connect before ${createToken.expiry}`);
    process.stdout.write(`${createToken.streamUrl}\n`);
  } finally {
    if (!AUDIO_KEY) await signOut(bearer);
  }
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.warn(error.message);
  process.exitCode = WILL_NOT_WORK.includes(error.code) ? 1 : 75;
}
