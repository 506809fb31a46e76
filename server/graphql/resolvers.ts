import { DateTimeResolver } from 'graphql-scalars';
import { CodedError } from '../errors.ts';
import type { Resolvers } from '../generated/resolverTypes.ts';
import { ipAddressOf } from '../http/ipAddress.ts';
import type { JwtClaims } from '../signIn/signedJwt.ts';
import { createStreamToken } from '../streamTokens/createStreamToken.ts';

// Takes only the functions: the package's description would replace that of schema.graphql in introspection.
const { serialize, parseValue, parseLiteral } = DateTimeResolver;

type Scalar = Pick<typeof DateTimeResolver, 'serialize' | 'parseValue' | 'parseLiteral'>;

const KEY_STAYS = 'A key cannot sign out; it stays valid until it expires or the operator revokes it';

export const resolvers: Omit<Resolvers, 'DateTime'> & { DateTime: Scalar } = {
  DateTime: { serialize, parseValue, parseLiteral },

  Query: {
    session: async (_parent, _args, context) => {
      const caller = await context.caller();
      if (caller === null) return null;
      await context.recordKeyUse(caller);
      // The API's `Session.id` is the account's.
      return { ...caller, id: caller.accountId, address: ipAddressOf(context.address) };
    },

    stream: async (_parent, _args, context) => {
      await context.recordKeyUse(await context.requireCaller());
      return context.services.stream;
    },

    tokens: async (_parent, { first, after, filter }, context) => {
      const caller = await context.requireCaller();
      await context.recordKeyUse(caller);
      return context.services.readTokenPage(
        { accountId: caller.accountId, client: context.client },
        {
          first,
          after: after ?? null,
          filter: filter ?? null,
        },
      );
    },

    keys: async (_parent, _args, context) =>
      context.services.readKeys(await context.requireCaller(), context.client),

    serverTime: (_parent, _args, { services }) => services.clock(),

    notice: (_parent, _args, { services }) => services.readNotice(),
  },

  Mutation: {
    login: async (_parent, { username, password }, context) => {
      const { address, deviceJwt, logFields, jwt: replacedJwt, services } = context;
      const onAccountFound = (account: string) => {
        logFields.account = account;
      };
      const attempt = {
        username,
        password,
        address,
        deviceJwt,
        replacedJwt,
        onAccountFound,
        log: context.log,
      };
      const { session, jwt, cookie, device } = await services.signIn(attempt);
      context.setSessionCookie(cookie.jwt, cookie.expiry);
      context.setDeviceCookie(device.jwt, device.expiry);
      // The API's `Session.id` is the account's.
      return { ...session, id: session.accountId, jwt };
    },

    createToken: async (_parent, _args, context) => {
      const { services, address, client } = context;
      const caller = await context.requireCaller();
      await context.recordUse(caller);
      return createStreamToken(services, { caller, address, client });
    },

    logout: async (_parent, _args, context) => {
      if (context.key !== null) throw new CodedError('BAD_USER_INPUT', KEY_STAYS);
      if (context.jwt === null) return true;
      // Keeps the cookie: clearing it in a late answer would sign out a newer session, and without its row it is
      // worthless. While the row cannot be deleted, the browser needs the cookie to try again.
      const isMeant = ({ id, accountId }: JwtClaims) =>
        context.isMeantFor(accountId) && (context.namedSession ?? id) === id;
      const ended = await context.services.sessions.end(context.jwt, isMeant);
      if (ended.account !== null) context.logFields.account = ended.account;
      return ended.isEnded;
    },
  },
};
