import { createHash, createSecretKey } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import jwt from 'jsonwebtoken';
import { parse } from 'node-html-parser';
import { Pool } from 'undici';
import { openDatabase } from '../../server/database/database.ts';
import { listen } from '../listen.ts';

/** The plainest handler that does the work of `createToken`: no GraphQL, limits, time-outs, headers or log. */
const { DATABASE_URL = '', JWT_SECRET = '', PROVIDER_TOKEN_URL = '', STREAM_BASE_URL = '' } = process.env;
const LIFETIME_SECONDS = 1_200;
const OPTIONS: jwt.VerifyOptions & { complete?: false } = {
  algorithms: ['HS256'],
  issuer: 'audio-oficial-premium',
  audience: 'audio-oficial-premium/graphql',
};

const { prisma } = openDatabase(DATABASE_URL);
const key = createSecretKey(Buffer.from(JWT_SECRET));
const tokenUrl = new URL(PROVIDER_TOKEN_URL);
const provider = new Pool(tokenUrl.origin, { connections: 64 });

async function sessionOf(request: IncomingMessage) {
  const token = request.headers.authorization?.slice('Bearer '.length);
  if (token === undefined) return null;
  const claims = jwt.verify(token, key, OPTIONS);
  if (typeof claims === 'string' || claims.jti === undefined) return null;
  const row = await prisma.session.findUnique({
    where: { id: claims.jti },
    select: { account: { select: { id: true, company: true, disabled: true } } },
  });
  if (row === null || row.account.disabled) return null;
  return { id: row.account.id, company: row.account.company };
}

async function createToken({ id: accountId, company }: { id: string; company: string }, address?: string) {
  const { body } = await provider.request({ method: 'GET', path: tokenUrl.pathname });
  const links = parse(await body.text()).getElementsByTagName('a');
  const href = links[0]?.getAttribute('href') ?? '';
  const token = href.slice(href.indexOf('wmsAuthSign=') + 'wmsAuthSign='.length);
  const expiry = new Date(Date.now() + LIFETIME_SECONDS * 1_000);
  const tokenHash = createHash('sha256').update(token).digest();
  await prisma.tokenRecord.create({
    data: {
      accountId,
      expiresAt: expiry,
      tokenHash,
      outcome: 'ISSUED',
      address: address ?? null,
      client: 'TOOL',
    },
  });
  return { token, streamUrl: STREAM_BASE_URL + token, company, expiry, lifetimeSeconds: LIFETIME_SECONDS };
}

async function answer(request: IncomingMessage): Promise<unknown> {
  JSON.parse(await text(request));
  const session = await sessionOf(request);
  if (session === null) return { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };
  return { data: { createToken: await createToken(session, request.socket.remoteAddress) } };
}

listen(
  createServer(async (request, response) => {
    const body = JSON.stringify(await answer(request));
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  }),
);
