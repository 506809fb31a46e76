import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import fc from 'fast-check';

/** More than any forger could have: the secret too, to sign what we would never sign. */
export type Booty = {
  /** A JWT that counts; the forgeries are like it. */
  genuine: string;
  secret: string;
  /** Texts that a forger may take for the secret: stolen rows, secrets of other days. */
  notTheSecret: string[];
  /** Of an account that is signed in elsewhere. */
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
  'whose content is no claims': contentsThatAreNoClaims,
  'whose header says more, or brings its own key': withOtherHeaders,
  'that is cut short, has one bit turned, or is put together otherwise': altered,
  'made up at random': madeUpAtRandom,
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
  const algorithms = [
    ...['none', 'NONE', 'nOnE', '', null, undefined, 0, true, ['HS256'], 'toString', '__proto__'],
    ...['HS384', 'HS512', 'hs256', 'HS256 ', 'RS256', 'PS256', 'ES256', 'EdDSA', 'dir'],
  ];
  const [header, claims, signature] = genuine.split('.');
  for (const alg of algorithms) {
    const body = `${encoded({ alg, typ: 'JWT' })}.${claims}`;
    yield* [`${body}.`, `${body}.${signature}`, signed(body, 'sha256', RSA_PEM)];
    for (const hash of ['sha256', 'sha384', 'sha512']) yield signed(body, hash, secret);
    yield `${body}.${sign('sha256', Buffer.from(body), RSA.privateKey).toString('base64url')}`;
  }
  for (const hash of ['sha1', 'sha384', 'sha512']) yield signed(`${header}.${claims}`, hash, secret);
}

function* signedWithOtherSecrets({ genuine, secret, another, notTheSecret }: Booty) {
  const guesses = [
    ...['', ' ', '\0', 'secret', 'changeme', 'null', 'undefined', 'JWT_SECRET', '0'.repeat(32), RSA_PEM],
    ...[`${secret} `, `${secret}\n`, secret.slice(1), secret.slice(0, -1), secret.slice(0, 32)],
    ...[secret.toUpperCase(), `"${secret}"`, encoded(secret), decoded(secret).toString('latin1')],
    ...notTheSecret,
  ];
  for (const guess of guesses) {
    for (const claims of [{}, { sub: claimsOf(another.jwt).sub }, { exp: undefined }]) {
      yield mint(headerOf(genuine), { ...claimsOf(genuine), ...claims }, guess);
    }
  }
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
  const injections = ['*', '%', `${jti}' OR '1'='1`, "x'; DROP TABLE sessions; --", '☃'.repeat(36)];
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
  const noInstants = [null, '', 'never', true, [], {}];
  const strange = [undefined, 0, -1, 1e21, Number.MAX_SAFE_INTEGER, now + 0.5];
  const past = [now, now - 1, now - DAY_SECONDS, exp - 1];
  const future = [now + 60, now + DAY_SECONDS, exp + 1, exp + 0.5, exp * 1000];
  yield* withClaims(booty, {
    exp: [...noInstants, ...strange, ...past, ...future, -exp, `${exp}`, [exp]],
    iat: [...noInstants, ...strange, iat - 1, iat + 1, iat + 0.5, ...future, `${iat}`, [iat]],
    nbf: [...noInstants, ...future, `${now - 60}`, booty.now.toISOString()],
  });
}

function* contentsThatAreNoClaims({ genuine, secret }: Booty) {
  const claims = JSON.stringify(claimsOf(genuine));
  const contents = [
    ...['', ' ', 'null', 'true', '0', '""', '[]', '{}', '{', '}', '[['.repeat(2000), 'A'.repeat(8_000)],
    ...[claims.slice(0, -1), `${claims}}`, `${claims}${claims}`, `[${claims}]`, `{"claims":${claims}}`],
    ...[`{"__proto__":${claims}}`, `\uFEFF${claims}`, claims.replace('"sub"', '"Sub"')],
  ];
  for (const content of contents) yield mint(headerOf(genuine), content, secret);
}

function* withOtherHeaders({ genuine, secret }: Booty) {
  const own = 'the secret of the forger, of more than 32 bytes';
  const jwk = { kty: 'oct', alg: 'HS256', k: encoded(own) };
  const extras = [
    ...[{ crit: ['exp'], exp: 0 }, { crit: [] }, { b64: false, crit: ['b64'] }, { zip: 'DEF' }],
    ...['1', '../../../../dev/null', "' UNION SELECT 'x' --", 0, null].map((kid) => ({ kid })),
    ...['https://forger.example/keys', 'file:///etc/passwd'].flatMap((url) => [{ jku: url }, { x5u: url }]),
    ...[
      { jwk },
      { jwk: RSA.publicKey.export({ format: 'jwk' }) },
      { jwks: { keys: [jwk] } },
      { x5c: ['MIIB'] },
    ],
    ...[{ typ: 'JWE' }, { typ: undefined }, { alg: 'RS256', jwk }, { alg: 'dir', enc: 'A128GCM' }],
  ];
  for (const extra of extras) {
    const header = { ...headerOf(genuine), ...extra };
    for (const key of [secret, own, '']) yield mint(header, claimsOf(genuine), key);
  }
  for (const header of ['{"typ":"JWT","alg":"HS256"}', '{', '', 'null', '{"alg":"none","alg":"HS256"}']) {
    yield mint(header, claimsOf(genuine), secret);
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
  const pieces = [...parts, ...another.jwt.split('.'), ...deviceJwt.split('.'), ''];
  for (const one of pieces) {
    for (const two of pieces) for (const three of parts) yield [one, two, three].join('.');
    yield* [`${genuine}.${one}`, `${one}.${genuine}`, `${genuine}.${one}.${one}`];
  }
  for (const encoding of ['base64', 'hex'] as const) {
    yield parts.map((part) => decoded(part).toString(encoding)).join('.');
  }
  for (const extra of ['=', 'A', '+', '.', '\u00A0', '\uFEFF', 'A'.repeat(2_000)]) {
    yield* [`${genuine}${extra}`, `${extra}${genuine}`];
  }
  yield* [deviceJwt, genuine.toUpperCase(), encoded(genuine), JSON.stringify([genuine]), '..', 'null', '🎧'];
}

function* madeUpAtRandom({ genuine, secret }: Booty) {
  const claims = claimsOf(genuine);
  const segment = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 60 });
  const position = fc.nat(genuine.length);
  const forgery = fc.oneof(
    fc.tuple(segment, segment, segment).map((parts) => parts.join('.')),
    fc
      .tuple(position, position, segment)
      .map(([from, to, text]) => `${genuine.slice(0, from)}${text}${genuine.slice(to)}`),
    // Whatever else one of the claims says, even our own key does not make it count.
    fc
      .tuple(fc.constantFrom(...Object.keys(claims)), fc.jsonValue())
      .map(([claim, value]) => mint(headerOf(genuine), { ...claims, [claim]: value }, secret)),
    fc.jsonValue().map((content) => mint(headerOf(genuine), content, secret)),
  );
  yield* fc.sample(forgery, { numRuns: 400, seed: FUZZ_SEED });
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
