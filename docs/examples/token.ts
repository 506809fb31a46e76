/**
 * Signs in, creates a token, prints the stream's address and signs out. Needs Node and no package; `gql/graphql.ts` is made
 * by codegen from `operations.graphql` and the API's schema, so that answers are typed.
 *
 *     AUDIO_USERNAME=… AUDIO_PASSWORD=… npx tsx docs/examples/token.ts
 *
 * From Node 22.18 on, `node docs/examples/token.ts` does as well.
 * Ends with 75 when the same may work later, with 1 when it will not.
 */
import {
  CreateTokenDocument,
  SignInDocument,
  SignOutDocument,
  type TypedDocumentString,
} from './gql/graphql.ts';

const { AUDIO_API = 'http://127.0.0.1:4000/graphql', AUDIO_USERNAME = '', AUDIO_PASSWORD = '' } = process.env;
const MAY_WORK_LATER = [
  'RATE_LIMITED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_BAD_ANSWER',
  'DATABASE_UNAVAILABLE',
  'NO_ANSWER',
];

type Answer<Data> = {
  data?: Data | null;
  errors?: Array<{ message: string; extensions: { code: string; retryAfterSeconds?: number } }>;
};

class Refused extends Error {
  readonly code: string;

  constructor(code: string, retryAfterSeconds?: number) {
    super(retryAfterSeconds === undefined ? code : `${code}, again in ${retryAfterSeconds} s`);
    this.code = code;
  }
}

/** @throws {Refused} with the code of the failure, `NO_ANSWER` when there was none to read */
async function ask<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  jwt?: string,
): Promise<Data> {
  const answer: Answer<Data> = await fetch(AUDIO_API, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(jwt && { authorization: `Bearer ${jwt}` }) },
    body: JSON.stringify({ query: document.toString(), variables }),
    signal: AbortSignal.timeout(15_000),
  })
    .then((response) => response.json())
    .catch(() => ({}));
  const extensions = answer.errors?.[0]?.extensions;
  if (extensions) throw new Refused(extensions.code, extensions.retryAfterSeconds);
  if (!answer.data) throw new Refused('NO_ANSWER');
  return answer.data;
}

try {
  const { login } = await ask(SignInDocument, { username: AUDIO_USERNAME, password: AUDIO_PASSWORD });
  try {
    const { createToken } = await ask(CreateTokenDocument, {}, login.jwt);
    console.warn(`Connect before ${createToken.expiry}`);
    process.stdout.write(`${createToken.streamUrl}\n`);
  } finally {
    await ask(SignOutDocument, {}, login.jwt);
  }
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.warn(error.message);
  process.exitCode = MAY_WORK_LATER.includes(error.code) ? 75 : 1;
}
