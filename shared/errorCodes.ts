import type { ErrorCode } from './generated/schemaEnums.ts';

export const PROVIDER_CODES = ['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER'] as const;
export type ProviderCode = (typeof PROVIDER_CODES)[number];

export const OPERATION_CODES = [
  'INVALID_CREDENTIALS',
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  ...PROVIDER_CODES,
  'DATABASE_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

export type OperationCode = (typeof OPERATION_CODES)[number];
