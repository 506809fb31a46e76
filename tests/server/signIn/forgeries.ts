import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import fc from 'fast-check';

/** What the forger is given to work with, more than anyone could have: the secret too, to sign what we would never sign. */
export type Booty = {
  /** A JWT that counts; the forgeries are like it. */
  genuine: string;
  secret: string;
  /** Texts that a forger may take for the secret: stolen rows, secrets of other days. */
  notTheSecret: string[];
  /** Of an account that is signed in elsewhere. */
  another: { jwt: string; username: string };
  deviceToken: string;
  now: Date;
};

type Json = unknown;

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ED25519 = generateKeyPairSync('ed25519');
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const FUZZ_SEED = 3;
const DAY_SECONDS = 86_400;

/** JWTs that must not count, by what is wrong with them. */
export const FORGERIES: Record<string, (booty: Booty) => Iterable<string>> = {
  'of another algorithm': ofOtherAlgorithms,
  'signed with another secret': signedWithOtherSecrets,
  'of another issuer, or for another audience': ofOthersOrForOthers,
  'that counts at another time': atOtherTimes,
  'of another session': ofOtherSessions,
  'of another account': ofOtherAccounts,
  'whose content is no claims': contentsThatAreNoClaims,
  'whose header says more, or brings its own key': withOtherHeaders,
  'that is cut short': cutShort,
  'with one bit turned': withOneBitTurned,
  'put together otherwise': putTogetherOtherwise,
  'written otherwise': writtenOtherwise,
  'that is very long': veryLong,
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
  const publicKeys = [
    RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    RSA.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    RSA.publicKey.export({ type: 'spki', format: 'der' }).toString('latin1'),
    JSON.stringify(RSA.publicKey.export({ format: 'jwk' })),
    EC.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  ];
  const algorithms = [
    ...['none', 'None', 'NONE', 'nOnE', ' none', '', null, undefined, 0, true, ['HS256']],
    ...['HS384', 'HS512', 'hs256', 'HS256 ', 'HMAC', 'HS256,none', 'toString', '__proto__'],
    ...['RS256', 'RS512', 'PS256', 'ES256', 'EdDSA', 'RSA-OAEP', 'dir'],
  ];
  const claims = genuine.split('.')[1];
  for (const alg of algorithms) {
    const body = `${encoded({ alg, typ: 'JWT' })}.${claims}`;
    const bytes = Buffer.from(body);
    yield `${body}.`;
    yield `${body}.${genuine.split('.')[2]}`;
    for (const hash of ['sha256', 'sha384', 'sha512']) yield signed(body, hash, secret);
    for (const key of publicKeys) yield signed(body, 'sha256', key);
    yield `${body}.${sign('sha256', bytes, RSA.privateKey).toString('base64url')}`;
    yield `${body}.${sign('sha256', bytes, { key: EC.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    yield `${body}.${sign(null, bytes, ED25519.privateKey).toString('base64url')}`;
  }
  const body = `${genuine.split('.')[0]}.${claims}`;
  for (const hash of ['sha1', 'sha384', 'sha512']) yield signed(body, hash, secret);
}

function* signedWithOtherSecrets({ genuine, secret, another, notTheSecret, now }: Booty) {
  const guesses = [
    ...['', ' ', '\0', 'secret', 'changeme', 'password', 'null', 'undefined', 'JWT_SECRET', '0'.repeat(32)],
    ...[`${secret} `, `${secret}\n`, ` ${secret}`, secret.slice(1), secret.slice(0, -1), secret.slice(0, 32)],
    ...[secret.toUpperCase(), `"${secret}"`, `${secret}${secret}`, encoded(secret)],
    ...[decoded(secret).toString('latin1'), [...secret].reverse().join('')],
    ...notTheSecret,
  ];
  const seconds = Math.floor(now.getTime() / 1000);
  const wanted = [
    {},
    { sub: claimsOf(another.jwt).sub },
    { exp: seconds + 10 ** 9 },
    { exp: undefined },
    { jti: claimsOf(another.jwt).jti },
  ];
  for (const guess of guesses) {
    for (const claims of wanted) yield mint(headerOf(genuine), { ...claimsOf(genuine), ...claims }, guess);
  }
}

function* ofOthersOrForOthers(booty: Booty) {
  const { iss, aud } = claimsOf(booty.genuine);
  const { aud: device } = claimsOf(booty.deviceToken);
  yield* withClaims(booty, {
    iss: otherTexts(iss),
    aud: [...otherTexts(aud), device, [aud, device], ['else', aud], [device], [[aud]], '*'],
  });
}

function* ofOtherSessions(booty: Booty) {
  const { jti } = claimsOf(booty.genuine);
  yield* withClaims(booty, {
    jti: [
      ...otherTexts(jti),
      ...Array.from({ length: 25 }, () => randomUUID()),
      claimsOf(booty.another.jwt).jti,
      '00000000-0000-0000-0000-000000000000',
      `${jti}' OR '1'='1`,
      "' UNION SELECT id FROM sessions --",
      "x'; DROP TABLE sessions; --",
      `urn:uuid:${jti}`,
      `{${jti}}`,
      String(jti).replaceAll('-', ''),
      '%',
      '☃'.repeat(36),
    ],
  });
}

function* ofOtherAccounts(booty: Booty) {
  const { sub } = claimsOf(booty.genuine);
  const { jwt, username } = booty.another;
  const others = [claimsOf(jwt).sub, username, 'admin', '*', '%', "' OR 1=1 --"];
  yield* withClaims(booty, { sub: [...otherTexts(sub), ...others] });
}

function* withClaims({ genuine, secret }: Booty, wrong: Record<string, Json[]>) {
  for (const [claim, values] of Object.entries(wrong)) {
    for (const value of values)
      yield mint(headerOf(genuine), { ...claimsOf(genuine), [claim]: value }, secret);
  }
}

function* atOtherTimes(booty: Booty) {
  const { genuine, secret } = booty;
  const now = Math.floor(booty.now.getTime() / 1000);
  const { iat, exp } = { iat: 0, exp: 0, ...claimsOf(genuine) };
  const noInstants = [null, '', 'never', true, [], {}];
  const strange = [undefined, 0, -1, 1e21, Number.MAX_SAFE_INTEGER, now + 0.5];
  const past = [now, now - 1, now - DAY_SECONDS, exp - 1];
  const future = [now + 60, now + DAY_SECONDS, exp + 1, exp + 0.5, exp * 1000];
  yield* withClaims(booty, {
    exp: [...noInstants, ...strange, ...past, ...future, -exp, `${exp}`, [exp]],
    iat: [...noInstants, ...strange, iat - 1, iat + 1, iat + 0.5, ...future, `${iat}`, [iat]],
    nbf: [...noInstants, ...future, `${now - 60}`, booty.now.toISOString()],
  });
  for (const [claim, value] of Object.entries({ exp: '1e999', iat: '-1e999', nbf: '1e999' })) {
    const others = JSON.stringify({ ...claimsOf(genuine), [claim]: undefined }).slice(0, -1);
    yield mint(headerOf(genuine), `${others},"${claim}":${value}}`, secret);
  }
}

function* contentsThatAreNoClaims({ genuine, secret }: Booty) {
  const claims = JSON.stringify(claimsOf(genuine));
  const contents = [
    ...['', ' ', 'null', 'true', '0', '""', '[]', '{}', '{', '}', '[['.repeat(2000)],
    ...[claims.slice(0, -1), `${claims}}`, `${claims}${claims}`, `${claims.slice(0, -1)},}`],
    ...[`[${claims}]`, `{"claims":${claims}}`, `{"__proto__":${claims}}`, `\uFEFF${claims}`],
    ...[claims.replaceAll('"', "'"), claims.replace('"sub"', '"Sub"'), `<xml>${claims}`],
  ];
  for (const content of contents) yield mint(headerOf(genuine), content, secret);
}

function* withOtherHeaders({ genuine, secret }: Booty) {
  const claims = claimsOf(genuine);
  const own = 'the secret of the forger, of more than 32 bytes';
  const jwk = { kty: 'oct', alg: 'HS256', k: encoded(own) };
  const keys = [jwk, RSA.publicKey.export({ format: 'jwk' }), EC.publicKey.export({ format: 'jwk' })];
  const names = ['1', '', '../../../../dev/null', "' UNION SELECT 'x' --", '| sleep 10', 0, null];
  const urls = ['https://forger.example/keys', 'file:///etc/passwd', 'http://127.0.0.1/', ''];
  const extras = [
    ...[['exp'], ['urn:example:unknown'], [], 'exp', null].map((crit) => ({ crit, exp: 0 })),
    ...names.map((kid) => ({ kid })),
    ...urls.flatMap((url) => [{ jku: url }, { x5u: url }]),
    ...keys.map((key) => ({ jwk: key })),
    ...[{ jwks: { keys } }, { jwk, kid: 'own' }, { x5c: ['MIIB'] }, { x5t: 'x' }, { nonce: 'x' }],
    ...[{ b64: false, crit: ['b64'] }, { zip: 'DEF' }, { enc: 'A256GCM' }, { cty: 'JWT' }],
    ...['JWE', 'at+jwt', 'jwt', '', undefined].map((typ) => ({ typ })),
    ...[{ alg: 'RS256', jwk }, { alg: 'dir', enc: 'A128GCM' }, { p2c: 10 ** 9 }, claims],
  ];
  for (const extra of extras) {
    const header = { ...headerOf(genuine), ...extra };
    for (const key of [secret, own, '', 'x']) yield mint(header, claims, key);
    const body = `${encoded({ ...header, alg: 'RS256' })}.${encoded(claims)}`;
    yield `${body}.${sign('sha256', Buffer.from(body), RSA.privateKey).toString('base64url')}`;
  }
  const written = ['{"typ":"JWT","alg":"HS256"}', '{"alg": "HS256", "typ": "JWT"}', '{', '', '{}', 'null'];
  const twice = ['{"alg":"none","alg":"HS256","typ":"JWT"}', '{"alg":"HS256","typ":"JWT","typ":"JWT"}'];
  for (const header of [...written, ...twice]) yield mint(header, claims, secret);
}

function* cutShort({ genuine }: Booty) {
  for (let length = 0; length < genuine.length; length += 1) {
    yield genuine.slice(0, length);
    if (length % 3 === 0) yield genuine.slice(length + 1);
  }
}

function* withOneBitTurned({ genuine }: Booty) {
  for (const [index, character] of [...genuine].entries()) {
    const value = ALPHABET.indexOf(character);
    const turned =
      value < 0 ? String.fromCharCode(character.charCodeAt(0) ^ 1) : ALPHABET[value ^ (1 << (index % 6))];
    yield `${genuine.slice(0, index)}${turned}${genuine.slice(index + 1)}`;
  }
  // The last character of a signature has two bits that say nothing.
  for (const last of ALPHABET) yield `${genuine.slice(0, -1)}${last}`;
}

function* putTogetherOtherwise({ genuine, another, deviceToken }: Booty) {
  const parts = genuine.split('.');
  const pieces = [...parts, ...another.jwt.split('.'), ...deviceToken.split('.'), ''];
  for (const one of pieces) {
    for (const two of pieces) for (const three of parts) yield [one, two, three].join('.');
  }
  for (const piece of pieces) {
    yield* [piece || '.', parts.join(`.${piece}.`), `${genuine}.${piece}`, `${piece}.${genuine}`];
    yield* [`${genuine}.${piece}.${piece}`, `${piece}.${piece}.${genuine}`, `${piece}.${genuine}.${piece}`];
  }
  yield* [deviceToken, `${genuine}${genuine}`, `${genuine},${another.jwt}`, '..', '...', '....'];
}

function* writtenOtherwise({ genuine }: Booty) {
  const parts = genuine.split('.');
  const [header = '', claims = '', signature = ''] = parts;
  for (const padding of ['=', '==', '===', '-', 'A', 'AA', '+', '/']) {
    yield* [
      `${header}${padding}.${claims}.${signature}`,
      `${header}.${claims}${padding}.${signature}`,
      `${genuine}${padding}`,
    ];
  }
  for (const encoding of ['base64', 'hex', 'latin1'] as const) {
    const rewritten = (part: string) =>
      encoding === 'latin1' ? encoded(part) : decoded(part).toString(encoding);
    yield parts.map(rewritten).join('.');
    for (const [index, part] of parts.entries()) yield parts.with(index, rewritten(part)).join('.');
  }
  for (const space of [' ', '\t', '\u00A0', '\u200B', '。', '․', '·', '\uFEFF', '\\', '"', '~', ':']) {
    yield parts.join(space);
    yield parts.join(`${space}.${space}`);
    yield `${genuine.slice(0, 10)}${space}${genuine.slice(10)}`;
    yield `${genuine.slice(0, -10)}${space}${genuine.slice(-10)}`;
  }
  const turned = [genuine.toUpperCase(), genuine.toLowerCase(), [...genuine].reverse().join('')];
  const wrapped = [encoded(genuine), JSON.stringify({ jwt: genuine }), JSON.stringify([genuine])];
  const prefixed = ['Bearer ', 'jwt=', 'session=', 'j:', 's:'].map((prefix) => `${prefix}${genuine}`);
  const nothing = 'null undefined true 0 1 * - admin ñandú 🎧'.split(' ');
  yield* [...turned, ...wrapped, ...prefixed, ...nothing, '日本語'.repeat(50)];
}

function* veryLong({ genuine }: Booty) {
  const [header = '', claims = '', signature = ''] = genuine.split('.');
  const forged = 'a secret of the forger';
  for (const length of [1_000, 4_000, 8_000, 14_000]) {
    const long = 'A'.repeat(length);
    yield* [
      long,
      `${genuine}${long}`,
      `${long}${genuine}`,
      `${header}.${long}.${signature}`,
      `${header}.${claims}.${long}`,
      '.'.repeat(length),
    ];
    yield mint(headerOf(genuine), { ...claimsOf(genuine), padding: 'A'.repeat(length / 2) }, forged);
    yield mint(headerOf(genuine), { ...claimsOf(genuine), sub: 'A'.repeat(length / 2) }, forged);
    yield mint(headerOf(genuine), `${'{"a":'.repeat(length / 10)}1${'}'.repeat(length / 10)}`, forged);
    yield `${header}.${header}`.repeat(length / 200);
  }
}

function* madeUpAtRandom({ genuine, secret }: Booty) {
  const claims = claimsOf(genuine);
  const segment = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 60 });
  const position = fc.nat(genuine.length);
  const bytes = fc.string({
    unit: fc.constantFrom(...ALPHABET, '.', '=', '+', '/'),
    minLength: 1,
    maxLength: 5,
  });
  const forgery = fc.oneof(
    fc.tuple(segment, segment, segment).map((parts) => parts.join('.')),
    fc.tuple(segment, segment).map((parts) => [genuine.split('.')[0], ...parts].join('.')),
    fc
      .tuple(position, position, bytes)
      .map(([from, to, text]) => `${genuine.slice(0, from)}${text}${genuine.slice(to)}`),
    // Whatever else one of the claims says, even our own key does not make it count.
    fc
      .tuple(fc.constantFrom(...Object.keys(claims)), fc.jsonValue())
      .map(([claim, value]) => mint(headerOf(genuine), { ...claims, [claim]: value }, secret)),
    fc
      .dictionary(fc.string(), fc.jsonValue())
      .map((header) => mint({ ...headerOf(genuine), ...header, kid: 'x' }, claims, secret)),
    fc.jsonValue().map((content) => mint(headerOf(genuine), content, secret)),
  );
  yield* fc.sample(forgery, { numRuns: 400, seed: FUZZ_SEED });
}

function otherTexts(right: Json): Json[] {
  const text = String(right);
  return [
    ...[undefined, null, '', ' ', 0, true, {}, [], [text], { value: text }, 'else'],
    ...[`${text} `, ` ${text}`, `${text}\n`, `${text}\0`, `${text}/`],
    ...[text.slice(1), text.slice(0, -1), text.toUpperCase()],
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
