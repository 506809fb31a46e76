import type { PrismaClient } from './generated/prisma/client.ts';
import { createKeySessions, createReadKeys, type KeySessions, type ReadKeys } from './keys/keySessions.ts';
import { createReadNotice, type ReadNotice } from './notice.ts';
import { type Cookies, createCookies } from './signIn/cookies.ts';
import type { SignInObserver } from './signIn/guessingAlarm.ts';
import { createSessions, type Sessions } from './signIn/sessions.ts';
import type { JwtSecrets } from './signIn/signedJwt.ts';
import { createSignIn, type SignIn } from './signIn/signIn.ts';
import { type Stream, streamAt } from './streamTokens/createStreamToken.ts';
import { createTokenPages, type ReadTokenPage } from './streamTokens/ledgerPages.ts';
import type { StreamProvider } from './streamTokens/streamProvider.ts';
import { createTokenLedger, type TokenLedger } from './streamTokens/tokenLedger.ts';
import { createTokenLimits, type LimitTokens, type TokenLimits } from './streamTokens/tokenLimits.ts';

export type Services = {
  signIn: SignIn;
  sessions: Sessions;
  cookies: Cookies;
  keySessions: KeySessions;
  readKeys: ReadKeys;
  provider: StreamProvider;
  stream: Stream;
  ledger: TokenLedger;
  readTokenPage: ReadTokenPage;
  limitTokens: LimitTokens;
  readNotice: ReadNotice;
  clock: () => Date;
};

type ServiceOptions = {
  prisma: PrismaClient;
  secrets: JwtSecrets;
  provider: StreamProvider;
  streamBaseUrl: string;
  clock: () => Date;
  signIn?: { observer?: SignInObserver; maxWaitMs?: number | undefined };
  tokenLimits?: TokenLimits | undefined;
};

export function createServices({
  prisma,
  secrets,
  provider,
  streamBaseUrl,
  clock,
  signIn,
  tokenLimits,
}: ServiceOptions): Services {
  const sessions = createSessions(prisma, secrets, clock);
  return {
    signIn: createSignIn({ prisma, sessions, secrets, clock, ...signIn }),
    sessions,
    cookies: createCookies(secrets),
    keySessions: createKeySessions(prisma, clock),
    readKeys: createReadKeys(prisma, clock),
    provider,
    stream: streamAt(streamBaseUrl),
    ledger: createTokenLedger(prisma),
    readTokenPage: createTokenPages(prisma),
    limitTokens: createTokenLimits(tokenLimits),
    readNotice: createReadNotice(prisma, clock),
    clock,
  };
}
