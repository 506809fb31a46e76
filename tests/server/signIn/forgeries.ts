import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import fc from 'fast-check';

/** Everything that a forgery may use, the secret too: with it the tests sign what the server never would. */
export type Booty = {
  /** A valid JWT, which the forgeries imitate. */
  genuine: string;
  secret: string;
  /** Texts that a forger may try as the secret: stolen rows, former secrets. */
  notTheSecret: string[];
  /** The session of another account. */
  another: { jwt: string; username: string };
  deviceJwt: string;
  now: Date;
};

type Json = unknown;

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const RSA_PEM = RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const FUZZ_SEED = 3;
const DAY_SECONDS = 86_400;

/** JWTs that must not count, by what is wrong with them. */
export const FORGERIES: Record<string, (booty: Booty) => Iterable<string>> = {
  'of another algorithm': ofOtherAlgorithms,
  'signed with another secret': signedWithOtherSecrets,
  'of another issuer, or for another audience': ofOthersOrForOthers,
  'that counts at another time': atOtherTimes,
  'of another session or account': ofOthers,
  'whose header says more, or brings its own key': withOtherHeaders,
  'that is cut short, has one bit turned, or is put together otherwise': altered,
  'whose content is made up at random': madeUpAtRandom,
};

/** A JWT, signed with HMAC-SHA256 whatever its header says; a text is taken as it is. */
export function mint(header: Json, claims: Json, key: string): string {
  return signed(`${encoded(header)}.${encoded(claims)}`, 'sha256', key);
}

export function claimsOf(jwt: string): Record<string, Json> {
  return JSON.parse(decoded(jwt.split('.')[1]).toString());
}

export function headerOf(jwt: string): Record<string, Json> {
  return JSON.parse(decoded(jwt.split('.')[0]).toString());
}

function* ofOtherAlgorithms({ genuine, secret }: Booty) {
  const [, claims, signature] = genuine.split('.');
  for (const alg of ['none', 'nOnE', '', null, undefined, ['HS256'], 'HS384', 'HS512', 'hs256', 'RS256']) {
    const body = `${encoded({ alg, typ: 'JWT' })}.${claims}`;
    yield* [`${body}.`, `${body}.${signature}`, signed(body, 'sha256', RSA_PEM)];
    for (const hash of ['sha256', 'sha384', 'sha512']) yield signed(body, hash, secret);
    yield `${body}.${sign('sha256', Buffer.from(body), RSA.privateKey).toString('base64url')}`;
  }
}

function* signedWithOtherSecrets({ genuine, secret, notTheSecret }: Booty) {
  const guesses = [
    ...['', ' ', 'secret', 'null', 'undefined', 'JWT_SECRET', '0'.repeat(32), RSA_PEM],
    ...[`${secret} `, `${secret}\n`, secret.slice(1), secret.slice(0, -1), secret.slice(0, 32)],
    ...[secret.toUpperCase(), `"${secret}"`, encoded(secret)],
    ...notTheSecret,
  ];
  for (const guess of guesses) yield mint(headerOf(genuine), claimsOf(genuine), guess);
}

function* ofOthersOrForOthers(booty: Booty) {
  const { iss, aud } = claimsOf(booty.genuine);
  const { aud: device } = claimsOf(booty.deviceJwt);
  yield* withClaims(booty, {
    iss: otherTexts(iss),
    aud: [...otherTexts(aud), device, [aud, device], ['else', aud], [device], [[aud]], '*'],
  });
}

function* ofOthers(booty: Booty) {
  const { jti, sub } = claimsOf(booty.genuine);
  const other = claimsOf(booty.another.jwt);
  const injections = ['*', '%', `${jti}' OR '1'='1`, '☃'.repeat(36)];
  yield* withClaims(booty, {
    jti: [...otherTexts(jti), ...injections, randomUUID(), other.jti, `{${jti}}`, `urn:uuid:${jti}`],
    sub: [...otherTexts(sub), ...injections, other.sub, booty.another.username, 'admin'],
  });
}

function* withClaims({ genuine, secret }: Booty, wrong: Record<string, Json[]>) {
  for (const [claim, values] of Object.entries(wrong)) {
    for (const value of values) {
      yield mint(headerOf(genuine), { ...claimsOf(genuine), [claim]: value }, secret);
    }
  }
}

function* atOtherTimes(booty: Booty) {
  const now = Math.floor(booty.now.getTime() / 1000);
  const { iat, exp } = { iat: 0, exp: 0, ...claimsOf(booty.genuine) };
  const strange = [undefined, null, '', 'never', true, [], 0, -1, Number.MAX_SAFE_INTEGER];
  const future = [now + 60, now + DAY_SECONDS, exp + 1, exp * 1000];
  yield* withClaims(booty, {
    exp: [...strange, now, now - 1, exp - 1, ...future, `${exp}`, [exp]],
    iat: [...strange, iat - 1, iat + 1, ...future, `${iat}`, [iat]],
    nbf: [...future, 'never'],
  });
}

function* withOtherHeaders({ genuine, secret }: Booty) {
  const own = 'the secret of the forger, of more than 32 bytes';
  const jwk = { kty: 'oct', alg: 'HS256', k: encoded(own) };
  const extras = [
    ...[{ jwk }, { jwks: { keys: [jwk] } }, { jku: 'https://forger.example/keys' }, { kid: '/dev/null' }],
    ...[{ crit: ['exp'], exp: 0 }, { b64: false, crit: ['b64'] }, { zip: 'DEF' }, { typ: undefined }],
  ];
  for (const extra of extras) {
    const header = { ...headerOf(genuine), ...extra };
    for (const key of [secret, own, '']) yield mint(header, claimsOf(genuine), key);
  }
}

function* altered({ genuine, another, deviceJwt }: Booty) {
  for (let length = 0; length < genuine.length; length += 7) {
    yield* [genuine.slice(0, length), genuine.slice(length + 1)];
  }
  for (const [index, character] of [...genuine].entries()) {
    const value = ALPHABET.indexOf(character);
    const turned = value < 0 ? '-' : ALPHABET[value ^ (1 << (index % 6))];
    yield `${genuine.slice(0, index)}${turned}${genuine.slice(index + 1)}`;
  }
  const parts = genuine.split('.');
  for (const one of [...parts, ...another.jwt.split('.'), ...deviceJwt.split('.'), '']) {
    for (const two of parts) for (const three of parts) yield [one, two, three].join('.');
    yield* [`${genuine}.${one}`, `${one}.${genuine}`];
  }
  yield* [deviceJwt, genuine.toUpperCase(), encoded(genuine), JSON.stringify([genuine]), '..', 'null', '🎧'];
}

function* madeUpAtRandom({ genuine, secret }: Booty) {
  const claims = claimsOf(genuine);
  const forgery = fc.oneof(
    // One wrong claim is enough, even under our own key.
    fc
      .tuple(fc.constantFrom(...Object.keys(claims)), fc.jsonValue())
      .map(([claim, value]) => mint(headerOf(genuine), { ...claims, [claim]: value }, secret)),
    fc.jsonValue().map((content) => mint(headerOf(genuine), content, secret)),
  );
  yield* fc.sample(forgery, { numRuns: 300, seed: FUZZ_SEED });
}

function otherTexts(right: Json): Json[] {
  const text = String(right);
  return [
    ...[undefined, null, '', ' ', 0, true, {}, [], [text], { value: text }, 'else'],
    ...[`${text} `, ` ${text}`, `${text}\0`, text.slice(1), text.slice(0, -1), text.toUpperCase()],
  ];
}

function signed(body: string, hash: string, key: string): string {
  return `${body}.${createHmac(hash, key).update(body).digest('base64url')}`;
}

function encoded(value: Json): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

function decoded(part = ''): Buffer {
  return Buffer.from(part, 'base64url');
}
