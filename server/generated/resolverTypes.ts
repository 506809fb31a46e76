import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** An instant in time, ISO 8601 in UTC with milliseconds: `2026-11-20T18:30:00.000Z`. */
  DateTime: { input: Date; output: Date; }
};

/** Operations that change something, one in each request. Each may fail with `INTERNAL_SERVER_ERROR`: a fault of the server. */
export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Asks the media provider for a new token to the official stream. The outcome is recorded before the answer: see `tokens`.
   * The browsers of an account together, and its tools together, may each have 4 requests under way and make 60 in a minute.
   *
   * Fails with `RATE_LIMITED` beyond that: the provider is then not asked, and `extensions.retryAfterSeconds` says after how
   * many whole seconds to try again. Fails with `UNAUTHENTICATED` when signed out, `PROVIDER_UNAVAILABLE` when the provider is down, slow or
   * refuses, `PROVIDER_BAD_ANSWER` when its answer holds no usable token, `DATABASE_UNAVAILABLE` when the server does not
   * reach its database, or cannot record the token there. A failure takes nothing away: tokens issued before stay valid.
   */
  createToken: StreamToken;
  /**
   * Starts a session: returned as `jwt` for tools, and set as an HttpOnly cookie for browsers. Ends the session that the
   * request carried.
   *
   * Fails with `BAD_USER_INPUT` when a field breaks its limits, with `INVALID_CREDENTIALS` when no enabled account
   * has exactly this username and password, and with `RATE_LIMITED` after too many attempts: the password is then not
   * checked, and `extensions.retryAfterSeconds` says after how many whole seconds to try again, 900 at most. Allowed in
   * 15 minutes are 5 attempts for a username from one network, an IPv4 address or an IPv6 /64 (a success starts that count
   * anew), and 100 failures from a network or an IPv6 /48, whatever the username. A browser in which the account signed in
   * with its present password has 5 attempts of its own instead, and all such browsers of an account have 20 together.
   * Also fails with `RATE_LIMITED`, to be tried again after a second, when 12 sign-ins of the network are under way, 24 of the
   * username or the IPv6 /48, or 12 in the account's known browsers.
   * Fails with `DATABASE_UNAVAILABLE` when the server does not reach its database.
   */
  login: SignedInSession;
  /**
   * Ends the session that the request carries, on the server too. Returns `true` also when there was none.
   *
   * Fails with `BAD_USER_INPUT` when the request carries a key: it stays, until the operator revokes it. Fails with
   * `DATABASE_UNAVAILABLE` when the server does not reach its database: a browser's cookie is deleted even then, but
   * the session goes on.
   */
  logout: Scalars['Boolean']['output'];
};


/** Operations that change something, one in each request. Each may fail with `INTERNAL_SERVER_ERROR`: a fault of the server. */
export type MutationLoginArgs = {
  password: Scalars['String']['input'];
  username: Scalars['String']['input'];
};

/** The position of a page among the others (Cursor Connections Specification). */
export type PageInfo = {
  __typename?: 'PageInfo';
  /** The cursor of the last in this page; `null` when there is none. */
  endCursor: Maybe<Scalars['String']['output']>;
  /** Whether there are older ones after this page. */
  hasNextPage: Scalars['Boolean']['output'];
  /** Whether there are newer ones before this page: true when it was asked for with `after`. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first in this page; `null` when there is none. */
  startCursor: Maybe<Scalars['String']['output']>;
};

/** Operations that change nothing. Each may fail with `INTERNAL_SERVER_ERROR`: a fault of the server. */
export type Query = {
  __typename?: 'Query';
  /**
   * The session that the request carries, by cookie or by `Authorization: Bearer`, or that a key sent there stands for.
   * `null` when signed out: no session or key, or one that expired, was ended or revoked, or whose account was disabled.
   *
   * Fails with `DATABASE_UNAVAILABLE` when the server does not reach its database.
   */
  session: Maybe<Session>;
  /**
   * The official stream without a token.
   *
   * Fails with `UNAUTHENTICATED` when signed out, `DATABASE_UNAVAILABLE` when the server does not reach its database.
   */
  stream: Stream;
  /**
   * The tokens that the session's account asked for, newest first, including those that the provider did not give. They are
   * kept for as long as the operator sets, 400 days by default. No account sees another's.
   *
   * Returns one page (Cursor Connections Specification): while `hasNextPage`, ask for the next one with `after` set to this
   * page's `endCursor`. Tokens created meanwhile do not shift the pages: they come before the first one.
   *
   * Fails with `UNAUTHENTICATED` when signed out, `BAD_USER_INPUT` when `first`, `after` or `filter` is wrong,
   * `DATABASE_UNAVAILABLE` when the server does not reach its database.
   */
  tokens: TokenConnection;
};


/** Operations that change nothing. Each may fail with `INTERNAL_SERVER_ERROR`: a fault of the server. */
export type QueryTokensArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TokenFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
};

/** The session of a signed-in account. */
export type Session = {
  __typename?: 'Session';
  /** The company that the account belongs to. */
  company: Scalars['String']['output'];
  /** When the session ends, or the key expires. */
  expiry: Scalars['DateTime']['output'];
  /** The account's id, opaque. */
  id: Scalars['ID']['output'];
};

/** A session just started. */
export type SignedInSession = {
  __typename?: 'SignedInSession';
  /** The company that the account belongs to. */
  company: Scalars['String']['output'];
  /** When the session ends. */
  expiry: Scalars['DateTime']['output'];
  /** The account's id, opaque. */
  id: Scalars['ID']['output'];
  /** The session for tools without cookies: send it as `Authorization: Bearer <jwt>`. A browser has no use for it. */
  jwt: Scalars['String']['output'];
};

/** The official stream, the same for every partner. */
export type Stream = {
  __typename?: 'Stream';
  /** The address that a token directly follows; it ends in the auth-sign parameter and `=`. */
  baseUrl: Scalars['String']['output'];
  /** How long a new token opens connections, in seconds. */
  lifetimeSeconds: Scalars['Int']['output'];
};

/** Temporary access to the official stream. The provider checks the token when a connection opens; an open connection outlives it. */
export type StreamToken = {
  __typename?: 'StreamToken';
  /** The company that it was issued to. */
  company: Scalars['String']['output'];
  /** The end of the time in which the token opens connections, by the server's clock. */
  expiry: Scalars['DateTime']['output'];
  /** Seconds from the creation of the token to `expiry`. Count with it on your own clock if that may differ from the server's. */
  lifetimeSeconds: Scalars['Int']['output'];
  /** The stream's base address directly followed by the token: what a player opens. */
  streamUrl: Scalars['String']['output'];
  /** The bare token, exactly as the provider wrote it. */
  token: Scalars['String']['output'];
};

/** The kind of caller that asked for a token. */
export type TokenClient =
  /** A browser: the session came as a cookie. */
  | 'BROWSER'
  /** A tool: the session or key came as `Authorization: Bearer`. Or a player, by an address of its own. */
  | 'TOOL';

/** A page of the tokens that an account asked for. */
export type TokenConnection = {
  __typename?: 'TokenConnection';
  /** The tokens of this page, newest first, each with its cursor. */
  edges: Array<TokenEdge>;
  /** The tokens of this page, newest first, without their cursors. */
  nodes: Array<TokenRecord>;
  /** The position of this page. */
  pageInfo: PageInfo;
};

/** A token in a page, with its cursor. */
export type TokenEdge = {
  __typename?: 'TokenEdge';
  /** An opaque cursor for `after`. It stays valid when newer tokens come and when the session ends. */
  cursor: Scalars['String']['output'];
  /** The record of the token. */
  node: TokenRecord;
};

/** Which tokens to list: those that meet every condition given. */
export type TokenFilter = {
  /** Answered at this moment or later. */
  from?: InputMaybe<Scalars['DateTime']['input']>;
  /** With this outcome alone. */
  outcome?: InputMaybe<TokenOutcome>;
  /** Answered before this moment, which must not be before `from`. */
  to?: InputMaybe<Scalars['DateTime']['input']>;
};

/** The outcome of asking for a token. */
export type TokenOutcome =
  /** A token was issued. */
  | 'ISSUED'
  /** None: `createToken` failed with `PROVIDER_BAD_ANSWER`. */
  | 'PROVIDER_BAD_ANSWER'
  /** None: `createToken` failed with `PROVIDER_UNAVAILABLE`. */
  | 'PROVIDER_UNAVAILABLE';

/** The record of one `createToken` that reached the provider. The token itself is not kept. */
export type TokenRecord = {
  __typename?: 'TokenRecord';
  /** The caller's address, IPv4 or IPv6; `null` if unknown. */
  address: Maybe<Scalars['String']['output']>;
  /** The kind of caller, told by how the session was sent. */
  client: TokenClient;
  /** When the request was answered, by the server's clock. */
  createdAt: Scalars['DateTime']['output'];
  /** The end of the time in which the token opened connections; `null` when none was issued. */
  expiry: Maybe<Scalars['DateTime']['output']>;
  /** The record's id, opaque. */
  id: Scalars['ID']['output'];
  /** The name of the key that asked; `null` if a session did. */
  keyName: Maybe<Scalars['String']['output']>;
  /** The outcome of the request. */
  outcome: TokenOutcome;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Session: ResolverTypeWrapper<Session>;
  SignedInSession: ResolverTypeWrapper<SignedInSession>;
  Stream: ResolverTypeWrapper<Stream>;
  StreamToken: ResolverTypeWrapper<StreamToken>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  TokenClient: TokenClient;
  TokenConnection: ResolverTypeWrapper<TokenConnection>;
  TokenEdge: ResolverTypeWrapper<TokenEdge>;
  TokenFilter: TokenFilter;
  TokenOutcome: TokenOutcome;
  TokenRecord: ResolverTypeWrapper<TokenRecord>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Boolean: Scalars['Boolean']['output'];
  DateTime: Scalars['DateTime']['output'];
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  Mutation: Record<PropertyKey, never>;
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  Session: Session;
  SignedInSession: SignedInSession;
  Stream: Stream;
  StreamToken: StreamToken;
  String: Scalars['String']['output'];
  TokenConnection: TokenConnection;
  TokenEdge: TokenEdge;
  TokenFilter: TokenFilter;
  TokenRecord: TokenRecord;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type MutationResolvers<ContextType = any, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createToken?: Resolver<ResolversTypes['StreamToken'], ParentType, ContextType>;
  login?: Resolver<ResolversTypes['SignedInSession'], ParentType, ContextType, RequireFields<MutationLoginArgs, 'password' | 'username'>>;
  logout?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = any, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = any, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  session?: Resolver<Maybe<ResolversTypes['Session']>, ParentType, ContextType>;
  stream?: Resolver<ResolversTypes['Stream'], ParentType, ContextType>;
  tokens?: Resolver<ResolversTypes['TokenConnection'], ParentType, ContextType, RequireFields<QueryTokensArgs, 'first'>>;
};

export type SessionResolvers<ContextType = any, ParentType extends ResolversParentTypes['Session'] = ResolversParentTypes['Session']> = {
  company?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiry?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type SignedInSessionResolvers<ContextType = any, ParentType extends ResolversParentTypes['SignedInSession'] = ResolversParentTypes['SignedInSession']> = {
  company?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiry?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  jwt?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type StreamResolvers<ContextType = any, ParentType extends ResolversParentTypes['Stream'] = ResolversParentTypes['Stream']> = {
  baseUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lifetimeSeconds?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type StreamTokenResolvers<ContextType = any, ParentType extends ResolversParentTypes['StreamToken'] = ResolversParentTypes['StreamToken']> = {
  company?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiry?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lifetimeSeconds?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  streamUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  token?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type TokenConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['TokenConnection'] = ResolversParentTypes['TokenConnection']> = {
  edges?: Resolver<Array<ResolversTypes['TokenEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['TokenRecord']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type TokenEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['TokenEdge'] = ResolversParentTypes['TokenEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['TokenRecord'], ParentType, ContextType>;
};

export type TokenRecordResolvers<ContextType = any, ParentType extends ResolversParentTypes['TokenRecord'] = ResolversParentTypes['TokenRecord']> = {
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  client?: Resolver<ResolversTypes['TokenClient'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiry?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  keyName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['TokenOutcome'], ParentType, ContextType>;
};

export type Resolvers<ContextType = any> = {
  DateTime?: GraphQLScalarType;
  Mutation?: MutationResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Session?: SessionResolvers<ContextType>;
  SignedInSession?: SignedInSessionResolvers<ContextType>;
  Stream?: StreamResolvers<ContextType>;
  StreamToken?: StreamTokenResolvers<ContextType>;
  TokenConnection?: TokenConnectionResolvers<ContextType>;
  TokenEdge?: TokenEdgeResolvers<ContextType>;
  TokenRecord?: TokenRecordResolvers<ContextType>;
};

