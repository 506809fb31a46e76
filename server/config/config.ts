import { z } from 'zod';
import { supportContactParts } from '../../shared/supportContact.ts';
import { OperatorError } from '../errors.ts';
import {
  asciiUrl,
  databaseUrlFault,
  hostFault,
  httpUrlFault,
  isEveryAddress,
  streamBaseUrlFault,
} from './addresses.ts';
import { isLoopback, PROXY_FAULT, type Proxies, readProxies } from './proxies.ts';

const REQUIRED_VARIABLES = {
  databaseUrl: 'DATABASE_URL',
  jwtSecret: 'JWT_SECRET',
  providerTokenUrl: 'PROVIDER_TOKEN_URL',
  streamBaseUrl: 'STREAM_BASE_URL',
} as const;

/** Required in production; elsewhere the demo stands in for those that are not set. */
export type RequiredSettings = Record<keyof typeof REQUIRED_VARIABLES, string>;

export type Config = {
  production: boolean;
  host: string;
  port: number;
  trustProxy: number;
  apolloSandbox: boolean;
  tokenLedgerDays: number;
  metrics: { host: string; port: number } | null;
  streamCors: boolean;
  firebaseConfig: FirebaseConfig | null;
  supportContact: string | null;
  previousJwtSecret: string | null;
  directDatabaseUrl: string | null;
  proxies: Proxies;
  given: Partial<RequiredSettings>;
};

/** Lists every fault of the environment, one a line. It names variables, never their values. */
export class ConfigError extends OperatorError {
  /** `EX_CONFIG` of sysexits.h: tells a supervisor that a restart would not help. */
  override readonly exitCode = 78;

  constructor(readonly faults: string[]) {
    super(['The configuration is wrong:', ...faults.map((fault) => `  - ${fault}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

export const JWT_SECRET_MIN_BYTES = 32;
const SUPPORT_CONTACT_MAX_LENGTH = 120;

const text = (isRight: (value: string) => boolean, message: string) => z.string().refine(isRight, message);
const withoutFault = (faultOf: (value: string) => string | null) =>
  z.string().superRefine((value, context) => {
    const fault = faultOf(value);
    if (fault !== null) context.addIssue(fault);
  });
const wholeNumber = (min: number, max: number, message: string) =>
  text((value) => /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max, message).transform(
    Number,
  );

const filled = z.string().trim().min(1);

const firebaseConfig = z.object({
  apiKey: filled,
  projectId: filled,
  appId: filled,
  measurementId: filled,
  authDomain: z.string().optional(),
  databaseURL: z.string().optional(),
  storageBucket: z.string().optional(),
  messagingSenderId: z.string().optional(),
});

export type FirebaseConfig = z.infer<typeof firebaseConfig>;

const databaseUrl = withoutFault(databaseUrlFault);

const jwtSecret = text(
  (secret) => Buffer.byteLength(secret) >= JWT_SECRET_MIN_BYTES,
  `must be at least ${JWT_SECRET_MIN_BYTES} bytes long`,
);

const environment = z.object({
  NODE_ENV: z
    .enum(
      ['development', 'test', 'production'],
      'must be production, development or test, or unset for the demo',
    )
    .optional(),
  HOST: withoutFault((host) => hostFault(host, 'PORT')).default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535, 'must be a port number from 0 to 65535').default(4000),
  METRICS_HOST: withoutFault((host) => hostFault(host, 'METRICS_PORT')).default('127.0.0.1'),
  METRICS_PORT: wholeNumber(1, 65_535, 'must be a port number from 1 to 65535').optional(),
  TRUST_PROXY: wholeNumber(0, 100, 'must be the number of proxies in front, 0 or more').default(0),
  APOLLO_SANDBOX: z.enum(['on', 'off'], 'must be on or off').optional(),
  TOKEN_LEDGER_DAYS: wholeNumber(1, 36_500, 'must be a number of days from 1 to 36500').default(400),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  JWT_SECRET: jwtSecret.optional(),
  JWT_SECRET_PREVIOUS: jwtSecret.optional(),
  PROVIDER_TOKEN_URL: withoutFault(httpUrlFault).optional(),
  STREAM_BASE_URL: withoutFault(streamBaseUrlFault).transform(asciiUrl).optional(),
  STREAM_CORS: z.enum(['on', 'off'], 'must be on or off').optional(),
  FIREBASE_CONFIG: text(
    (json) => parseFirebaseConfig(json) !== null,
    'must be the Firebase web config: a JSON object of texts, with apiKey, projectId, appId and measurementId',
  )
    .transform(parseFirebaseConfig)
    .optional(),
  SUPPORT_CONTACT: text(
    isSupportContact,
    `must be one line of at most ${SUPPORT_CONTACT_MAX_LENGTH} characters, without control characters, with an e-mail address, a telephone number or an https:// address`,
  )
    .trim()
    .optional(),
});

export const KNOWN_VARIABLES = [...Object.keys(environment.shape), 'DATA_DIR'];

/**
 * Counts an empty variable as unset.
 * @param required - the variables that must be set in production
 */
export function readConfig(
  env: Record<string, string | undefined>,
  required: string[] = Object.values(REQUIRED_VARIABLES),
): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(set);
  const faults = (parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const production = set.NODE_ENV === 'production';
  if (production) {
    for (const name of required) {
      if (set[name] === undefined) faults.push(`${name} is required when NODE_ENV is production`);
    }
  }
  if (set.JWT_SECRET_PREVIOUS !== undefined) {
    if (set.JWT_SECRET === undefined) faults.push('JWT_SECRET_PREVIOUS may only be set beside JWT_SECRET');
    if (set.JWT_SECRET === set.JWT_SECRET_PREVIOUS) {
      faults.push('JWT_SECRET_PREVIOUS must be another secret than JWT_SECRET');
    }
  }
  if (set.DATABASE_DIRECT_URL !== undefined && set.DATABASE_URL === undefined) {
    faults.push('DATABASE_DIRECT_URL may only be set beside DATABASE_URL');
  }
  if (parsed.success && parsed.data.METRICS_PORT === parsed.data.PORT) {
    const hosts = [parsed.data.HOST, parsed.data.METRICS_HOST];
    if (hosts[0] === hosts[1] || hosts.some(isEveryAddress)) {
      faults.push('METRICS_PORT must be another port than PORT');
    }
  }
  const proxies = readProxies(set);
  // Proxies matter only for a provider elsewhere: developers' machines set the variables too.
  if (parsed.data?.PROVIDER_TOKEN_URL && !isLoopback(new URL(parsed.data.PROVIDER_TOKEN_URL).hostname)) {
    faults.push(...proxies.faults.map((variable) => `${variable} ${PROXY_FAULT}`));
  }
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);

  const { data } = parsed;
  return {
    production,
    host: data.HOST,
    port: data.PORT,
    trustProxy: data.TRUST_PROXY,
    metrics: data.METRICS_PORT === undefined ? null : { host: data.METRICS_HOST, port: data.METRICS_PORT },
    apolloSandbox: data.APOLLO_SANDBOX === undefined ? !production : data.APOLLO_SANDBOX === 'on',
    tokenLedgerDays: data.TOKEN_LEDGER_DAYS,
    // The demo's stream allows CORS.
    streamCors:
      data.STREAM_CORS === undefined ? data.STREAM_BASE_URL === undefined : data.STREAM_CORS === 'on',
    firebaseConfig: data.FIREBASE_CONFIG ?? null,
    supportContact: data.SUPPORT_CONTACT ?? null,
    previousJwtSecret: data.JWT_SECRET_PREVIOUS ?? null,
    directDatabaseUrl: data.DATABASE_DIRECT_URL ?? null,
    proxies,
    given: Object.fromEntries(
      Object.entries(REQUIRED_VARIABLES)
        .map(([part, name]) => [part, data[name]])
        .filter(([, value]) => value !== undefined),
    ),
  };
}

export function isComplete(given: Partial<RequiredSettings>): given is RequiredSettings {
  return missingVariables(given).length === 0;
}

export function missingVariables(given: Partial<RequiredSettings>): string[] {
  const parts = Object.keys(REQUIRED_VARIABLES) as Array<keyof RequiredSettings>;
  return parts.filter((part) => given[part] === undefined).map((part) => REQUIRED_VARIABLES[part]);
}

export function directDatabase<Url extends string | undefined>(
  { directDatabaseUrl }: Pick<Config, 'directDatabaseUrl'>,
  databaseUrl: Url,
): { url: Url | string; variable: string } {
  if (directDatabaseUrl === null) return { url: databaseUrl, variable: 'DATABASE_URL' };
  return { url: directDatabaseUrl, variable: 'DATABASE_DIRECT_URL' };
}

/** `npm run assemble` leaves the demo out. */
export async function loadDemo<Module>(load: () => Promise<Module>, variables: string[]): Promise<Module> {
  return load().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(variables.map((name) => `${name} is required: the demo is not installed here`));
  });
}

function isSupportContact(line: string): boolean {
  if (line.length > SUPPORT_CONTACT_MAX_LENGTH || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line))
    return false;
  return supportContactParts(line).some(({ href }) => href !== null);
}

function parseFirebaseConfig(json: string): FirebaseConfig | null {
  try {
    return firebaseConfig.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
