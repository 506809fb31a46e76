import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { RequestContext } from '../graphql/requestContext.ts';
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
  DateTime: { input: Date; output: Date; }
};

export type ErrorCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'DATABASE_UNAVAILABLE'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'INTERNAL_SERVER_ERROR'
  | 'INVALID_CREDENTIALS'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_FOUND'
  | 'OPERATION_RESOLUTION_FAILURE'
  | 'PAYLOAD_TOO_LARGE'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'PROVIDER_BAD_ANSWER'
  | 'PROVIDER_UNAVAILABLE'
  | 'RATE_LIMITED'
  | 'UNAUTHENTICATED'
  | 'UNSUPPORTED_MEDIA_TYPE';

export type Key = {
  __typename?: 'Key';
  createdAt: Scalars['DateTime']['output'];
  expiry: Scalars['DateTime']['output'];
  kind: KeyKind;
  lastUsed: Maybe<Scalars['DateTime']['output']>;
  name: Scalars['String']['output'];
};

export type KeyKind =
  | 'PLAYER'
  | 'TOOL';

export type Mutation = {
  __typename?: 'Mutation';
  createToken: StreamToken;
  login: SignedInSession;
  logout: Scalars['Boolean']['output'];
};


export type MutationLoginArgs = {
  password: Scalars['String']['input'];
  username: Scalars['String']['input'];
};

export type Notice = {
  __typename?: 'Notice';
  since: Scalars['DateTime']['output'];
  text: Scalars['String']['output'];
};

export type PageInfo = {
  __typename?: 'PageInfo';
  endCursor: Maybe<Scalars['String']['output']>;
  hasNextPage: Scalars['Boolean']['output'];
  hasPreviousPage: Scalars['Boolean']['output'];
  startCursor: Maybe<Scalars['String']['output']>;
};

export type Query = {
  __typename?: 'Query';
  keys: Array<Key>;
  notice: Maybe<Notice>;
  serverTime: Scalars['DateTime']['output'];
  session: Maybe<Session>;
  stream: Stream;
  tokens: TokenConnection;
};


export type QueryTokensArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TokenFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
};

export type RateLimitedReason =
  | 'AT_ONCE'
  | 'USED_UP';

export type Session = {
  __typename?: 'Session';
  accountId: Scalars['ID']['output'];
  address: Maybe<Scalars['String']['output']>;
  company: Scalars['String']['output'];
  expiry: Scalars['DateTime']['output'];
  /** @deprecated Ask for `accountId`: this is not the session's id. */
  id: Scalars['ID']['output'];
  key: Maybe<SessionKey>;
};

export type SessionKey = {
  __typename?: 'SessionKey';
  expiry: Scalars['DateTime']['output'];
  lastUsed: Maybe<Scalars['DateTime']['output']>;
  name: Scalars['String']['output'];
};

export type SignedInSession = {
  __typename?: 'SignedInSession';
  accountId: Scalars['ID']['output'];
  company: Scalars['String']['output'];
  expiry: Scalars['DateTime']['output'];
  /** @deprecated Ask for `accountId`: this is not the session's id. */
  id: Scalars['ID']['output'];
  jwt: Scalars['String']['output'];
};

export type Stream = {
  __typename?: 'Stream';
  baseUrl: Scalars['String']['output'];
  lifetimeSeconds: Scalars['Int']['output'];
};

export type StreamToken = {
  __typename?: 'StreamToken';
  company: Scalars['String']['output'];
  expiry: Scalars['DateTime']['output'];
  id: Scalars['ID']['output'];
  lifetimeSeconds: Scalars['Int']['output'];
  streamUrl: Scalars['String']['output'];
  token: Scalars['String']['output'];
};

export type TokenClient =
  | 'BROWSER'
  | 'PLAYER'
  | 'TOOL';

export type TokenConnection = {
  __typename?: 'TokenConnection';
  edges: Array<TokenEdge>;
  nodes: Array<TokenRecord>;
  pageInfo: PageInfo;
};

export type TokenEdge = {
  __typename?: 'TokenEdge';
  cursor: Scalars['String']['output'];
  node: TokenRecord;
};

export type TokenFilter = {
  from?: InputMaybe<Scalars['DateTime']['input']>;
  outcome?: InputMaybe<TokenOutcome>;
  to?: InputMaybe<Scalars['DateTime']['input']>;
};

export type TokenOutcome =
  | 'ISSUED'
  | 'PROVIDER_BAD_ANSWER'
  | 'PROVIDER_UNAVAILABLE';

export type TokenRecord = {
  __typename?: 'TokenRecord';
  address: Maybe<Scalars['String']['output']>;
  client: TokenClient;
  createdAt: Scalars['DateTime']['output'];
  expiry: Maybe<Scalars['DateTime']['output']>;
  id: Scalars['ID']['output'];
  keyName: Maybe<Scalars['String']['output']>;
  outcome: TokenOutcome;
};

export type UnauthenticatedReason =
  | 'KEY_REFUSED'
  | 'NO_CREDENTIALS'
  | 'OTHER_ACCOUNT'
  | 'SESSION_ENDED';



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
  ErrorCode: ErrorCode;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Key: ResolverTypeWrapper<Key>;
  KeyKind: KeyKind;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Notice: ResolverTypeWrapper<Notice>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RateLimitedReason: RateLimitedReason;
  Session: ResolverTypeWrapper<Session>;
  SessionKey: ResolverTypeWrapper<SessionKey>;
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
  UnauthenticatedReason: UnauthenticatedReason;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Boolean: Scalars['Boolean']['output'];
  DateTime: Scalars['DateTime']['output'];
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  Key: Key;
  Mutation: Record<PropertyKey, never>;
  Notice: Notice;
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  Session: Session;
  SessionKey: SessionKey;
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

export type KeyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Key'] = ResolversParentTypes['Key']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiry?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['KeyKind'], ParentType, ContextType>;
  lastUsed?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createToken?: Resolver<ResolversTypes['StreamToken'], ParentType, ContextType>;
  login?: Resolver<ResolversTypes['SignedInSession'], ParentType, ContextType, RequireFields<MutationLoginArgs, 'password' | 'username'>>;
  logout?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type NoticeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Notice'] = ResolversParentTypes['Notice']> = {
  since?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  keys?: Resolver<Array<ResolversTypes['Key']>, ParentType, ContextType>;
  notice?: Resolver<Maybe<ResolversTypes['Notice']>, ParentType, ContextType>;
  serverTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  session?: Resolver<Maybe<ResolversTypes['Session']>, ParentType, ContextType>;
  stream?: Resolver<ResolversTypes['Stream'], ParentType, ContextType>;
  tokens?: Resolver<ResolversTypes['TokenConnection'], ParentType, ContextType, RequireFields<QueryTokensArgs, 'first'>>;
};

export type SessionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Session'] = ResolversParentTypes['Session']> = {
  accountId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  company?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiry?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  key?: Resolver<Maybe<ResolversTypes['SessionKey']>, ParentType, ContextType>;
};

export type SessionKeyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SessionKey'] = ResolversParentTypes['SessionKey']> = {
  expiry?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lastUsed?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type SignedInSessionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SignedInSession'] = ResolversParentTypes['SignedInSession']> = {
  accountId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  company?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiry?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  jwt?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type StreamResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Stream'] = ResolversParentTypes['Stream']> = {
  baseUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lifetimeSeconds?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type StreamTokenResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['StreamToken'] = ResolversParentTypes['StreamToken']> = {
  company?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiry?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  lifetimeSeconds?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  streamUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  token?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type TokenConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TokenConnection'] = ResolversParentTypes['TokenConnection']> = {
  edges?: Resolver<Array<ResolversTypes['TokenEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['TokenRecord']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type TokenEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TokenEdge'] = ResolversParentTypes['TokenEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['TokenRecord'], ParentType, ContextType>;
};

export type TokenRecordResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TokenRecord'] = ResolversParentTypes['TokenRecord']> = {
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  client?: Resolver<ResolversTypes['TokenClient'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiry?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  keyName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['TokenOutcome'], ParentType, ContextType>;
};

export type Resolvers<ContextType = RequestContext> = {
  DateTime?: GraphQLScalarType;
  Key?: KeyResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Notice?: NoticeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Session?: SessionResolvers<ContextType>;
  SessionKey?: SessionKeyResolvers<ContextType>;
  SignedInSession?: SignedInSessionResolvers<ContextType>;
  Stream?: StreamResolvers<ContextType>;
  StreamToken?: StreamTokenResolvers<ContextType>;
  TokenConnection?: TokenConnectionResolvers<ContextType>;
  TokenEdge?: TokenEdgeResolvers<ContextType>;
  TokenRecord?: TokenRecordResolvers<ContextType>;
};

