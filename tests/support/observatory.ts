import { parse } from 'node-html-parser';

/**
 * What MDN's HTTP Observatory scores, and by how much, written down from the source of its version 1.6.3
 * (github.com/mdn/mdn-http-observatory, `src/grader/charts.js` and `src/analyzer/tests/`) and, for the opener and embedder
 * policies, of what followed by 2026-08-20. The package itself brings a database, its native driver and Sentry, and
 * downloads lists when it is installed.
 */
const MODIFIERS = {
  'csp-implemented-with-no-unsafe-default-src-none': 10,
  'csp-implemented-with-no-unsafe': 5,
  'csp-implemented-with-unsafe-inline-in-style-src-only': 0,
  'csp-implemented-with-insecure-scheme-in-passive-content-only': -10,
  'csp-implemented-with-unsafe-eval': -10,
  'csp-implemented-with-unsafe-inline': -20,
  'csp-implemented-with-insecure-scheme': -20,
  'csp-header-invalid': -25,
  'csp-not-implemented': -25,
  'cookies-secure-with-httponly-sessions-and-samesite': 5,
  'cookies-secure-with-httponly-sessions': 0,
  'cookies-not-found': 0,
  'cookies-without-secure-flag-but-protected-by-hsts': -5,
  'cookies-session-without-secure-flag-but-protected-by-hsts': -10,
  'cookies-without-secure-flag': -20,
  'cookies-samesite-flag-invalid': -20,
  'cookies-anticsrf-without-samesite-flag': -20,
  'cookies-session-without-httponly-flag': -30,
  'cookies-session-without-secure-flag': -40,
  'cross-origin-resource-sharing-not-implemented': 0,
  'cross-origin-resource-sharing-implemented-with-public-access': 0,
  'cross-origin-resource-sharing-implemented-with-restricted-access': 0,
  'cross-origin-resource-sharing-implemented-with-universal-access': -50,
  'redirection-not-needed-no-http': 0,
  'redirection-to-https': 0,
  'redirection-off-host-from-http': -5,
  'redirection-not-to-https-on-initial-redirection': -10,
  'redirection-not-to-https': -20,
  'redirection-missing': -20,
  'referrer-policy-private': 5,
  'referrer-policy-not-implemented': 0,
  'referrer-policy-unsafe': -5,
  'referrer-policy-header-invalid': -5,
  'hsts-implemented-max-age-at-least-six-months': 0,
  'hsts-implemented-max-age-less-than-six-months': -10,
  'hsts-not-implemented': -20,
  'hsts-header-invalid': -20,
  'sri-implemented-and-all-scripts-loaded-securely': 5,
  'sri-implemented-and-external-scripts-loaded-securely': 5,
  'sri-not-implemented-but-no-scripts-loaded': 0,
  'sri-not-implemented-but-all-scripts-loaded-from-secure-origin': 0,
  'sri-not-implemented-but-external-scripts-loaded-securely': -5,
  'sri-implemented-but-external-scripts-not-loaded-securely': -20,
  'sri-not-implemented-and-external-scripts-not-loaded-securely': -50,
  'x-content-type-options-nosniff': 0,
  'x-content-type-options-not-implemented': -5,
  'x-content-type-options-header-invalid': -5,
  'x-frame-options-implemented-via-csp': 5,
  'x-frame-options-sameorigin-or-deny': 5,
  'x-frame-options-allow-from-origin': 0,
  'x-frame-options-not-implemented': -20,
  'x-frame-options-header-invalid': -20,
  'cross-origin-resource-policy-implemented-with-same-origin': 10,
  'cross-origin-resource-policy-implemented-with-same-site': 10,
  'cross-origin-resource-policy-implemented-with-cross-origin': 0,
  'cross-origin-resource-policy-not-implemented': 0,
  'cross-origin-resource-policy-header-invalid': -5,
  'coop-implemented': 10,
  'coop-not-implemented': 0,
  'coop-header-invalid': -5,
  'coep-implemented': 10,
  'coep-not-implemented': 0,
  'coep-header-invalid': -5,
} as const;

export type Finding = keyof typeof MODIFIERS;

/** What a browser met at one page of a site, over https with a good certificate. */
export type Visit = {
  headers: Headers;
  html: string;
  /** Every `Set-Cookie` of the site. */
  setCookies: string[];
  /** The `Origin` of another site, and the headers that a preflight from there was answered with. */
  preflight: { origin: string; headers: Headers };
  /** The addresses that a visit by http leads through, from the first to the last; null where nobody answers http. */
  httpRoute: string[] | null;
};

/** From `score` on downwards to the next; a score that is no multiple of 5 is rounded down. */
const GRADES: ReadonlyArray<[score: number, grade: string]> = [
  [100, 'A+'],
  [90, 'A'],
  [85, 'A-'],
  [80, 'B+'],
  [70, 'B'],
  [65, 'B-'],
  [60, 'C+'],
  [50, 'C'],
  [45, 'C-'],
  [40, 'D+'],
  [30, 'D'],
  [25, 'D-'],
  [0, 'F'],
];

/** Below this, before any bonus, no bonus counts. */
const LEAST_FOR_BONUS = 90;

/** The Observatory's grade for a page, with what it found. */
export function observatoryGrade(visit: Visit): { grade: string; score: number; findings: Finding[] } {
  const findings = [
    contentSecurityPolicy(visit),
    cookies(visit),
    crossOriginResourceSharing(visit),
    redirection(visit),
    referrerPolicy(visit),
    strictTransportSecurity(visit),
    subresourceIntegrity(visit),
    contentTypeOptions(visit),
    frameOptions(visit),
    resourcePolicy(visit),
    isolation(visit, 'coop', 'cross-origin-opener-policy', OPENER_POLICIES),
    isolation(visit, 'coep', 'cross-origin-embedder-policy', EMBEDDER_POLICIES),
  ];
  const modifiers = findings.map((finding) => MODIFIERS[finding]);
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  const withoutBonus = 100 + sum(modifiers.filter((modifier) => modifier < 0));
  const score = Math.max(0, withoutBonus >= LEAST_FOR_BONUS ? 100 + sum(modifiers) : withoutBonus);
  return { grade: GRADES.find(([least]) => score >= least)?.[1] ?? 'F', score, findings };
}

const BROAD_SOURCES = ['ftp:', 'http:', 'https:', '*', 'http://*', 'http://*.*', 'https://*', 'https://*.*'];
const INLINE_SOURCES = ["'unsafe-inline'", 'data:'];
const NONCE_OR_HASH = /^'(nonce|sha256|sha384|sha512)-/;
const PASSIVE_DIRECTIVES = ['img-src', 'media-src'];

function contentSecurityPolicy({ headers, html }: Visit): Finding {
  const header = headers.get('content-security-policy');
  // The Observatory knows how policies add up; this does not, and must not be asked.
  if (header?.includes(',') || /http-equiv="content-security-policy"/i.test(html)) {
    throw new Error('The page has more than one policy');
  }
  if (header === null) return 'csp-not-implemented';
  const policy = readPolicy(header);
  if (policy === null) return 'csp-header-invalid';

  const sourcesOf = (directive: string) => policy.get(directive) ?? policy.get('default-src') ?? ['*'];
  const has = (sources: string[], any: string[]) => sources.some((source) => any.includes(source));
  const isInsecure = (source: string) => source.startsWith('http:') || source.startsWith('ftp:');
  const styles = withoutNeedlessInline(sourcesOf('style-src'));
  let scripts = withoutNeedlessInline(sourcesOf('script-src'));
  if (scripts.includes("'strict-dynamic'")) {
    if (!scripts.some((source) => NONCE_OR_HASH.test(source))) return 'csp-header-invalid';
    scripts = scripts.filter(
      (source) => source !== "'self'" && !BROAD_SOURCES.some((broad) => source.startsWith(broad)),
    );
  }
  const active = [...policy]
    .filter(([directive]) => directive !== 'script-src' && !PASSIVE_DIRECTIVES.includes(directive))
    .flatMap(([, sources]) => sources)
    .concat(scripts);

  if (has(scripts, [...BROAD_SOURCES, ...INLINE_SOURCES]) || has(sourcesOf('object-src'), BROAD_SOURCES)) {
    return 'csp-implemented-with-unsafe-inline';
  }
  if (active.some(isInsecure)) return 'csp-implemented-with-insecure-scheme';
  if (has([...scripts, ...styles], ["'unsafe-eval'"])) return 'csp-implemented-with-unsafe-eval';
  if (PASSIVE_DIRECTIVES.flatMap(sourcesOf).some(isInsecure)) {
    return 'csp-implemented-with-insecure-scheme-in-passive-content-only';
  }
  if (has(styles, [...BROAD_SOURCES, ...INLINE_SOURCES])) {
    return 'csp-implemented-with-unsafe-inline-in-style-src-only';
  }
  return policy.get('default-src')?.join() === "'none'"
    ? 'csp-implemented-with-no-unsafe-default-src-none'
    : 'csp-implemented-with-no-unsafe';
}

/** The sources of each directive; null when it says one twice, or nothing at all. */
function readPolicy(header: string): Map<string, string[]> | null {
  const policy = new Map<string, string[]>();
  for (const directive of header.split(';')) {
    const [name, ...sources] = directive.trim().toLowerCase().split(/\s+/);
    if (!name) continue;
    if (policy.has(name)) return null;
    policy.set(name, sources.length === 0 && name.endsWith('-src') ? ["'none'"] : sources);
  }
  return policy.size === 0 ? null : policy;
}

/** Browsers ignore `'unsafe-inline'` beside a nonce or hash. */
function withoutNeedlessInline(sources: string[]): string[] {
  if (!sources.some((source) => NONCE_OR_HASH.test(source))) return sources;
  return sources.filter((source) => source !== "'unsafe-inline'");
}

/** From what is least bad to what is worst, as the Observatory orders them: not by what they cost. */
const COOKIE_FAULTS = [
  'cookies-without-secure-flag-but-protected-by-hsts',
  'cookies-without-secure-flag',
  'cookies-session-without-secure-flag-but-protected-by-hsts',
  'cookies-samesite-flag-invalid',
  'cookies-anticsrf-without-samesite-flag',
  'cookies-session-without-httponly-flag',
  'cookies-session-without-secure-flag',
] as const satisfies Finding[];

function cookies(visit: Visit): Finding {
  if (visit.setCookies.length === 0) return 'cookies-not-found';
  const hasHsts = strictTransportSecurity(visit) === 'hsts-implemented-max-age-at-least-six-months';
  const faults = new Set<Finding>();
  let allHaveSameSite = true;
  for (const setCookie of visit.setCookies) {
    const [pair = '', ...attributes] = setCookie
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    const name = pair.split('=')[0] ?? '';
    const isSession = /login|sess/.test(name);
    const isSecure = attributes.includes('secure');
    const sameSite = attributes.find((attribute) => attribute.split('=')[0] === 'samesite')?.split('=')[1];
    allHaveSameSite &&= sameSite !== undefined;
    if (sameSite !== undefined && !['lax', 'strict', 'none'].includes(sameSite)) {
      faults.add('cookies-samesite-flag-invalid');
    }
    if (sameSite === 'none' && !isSecure) faults.add('cookies-samesite-flag-invalid');
    if (sameSite === undefined && name.includes('csrf')) faults.add('cookies-anticsrf-without-samesite-flag');
    if (isSession && !attributes.includes('httponly')) faults.add('cookies-session-without-httponly-flag');
    if (isSecure) continue;
    const fault = isSession ? 'cookies-session-without-secure-flag' : 'cookies-without-secure-flag';
    faults.add(hasHsts ? `${fault}-but-protected-by-hsts` : fault);
  }
  const worst = COOKIE_FAULTS.findLast((fault) => faults.has(fault));
  if (worst !== undefined) return worst;
  return allHaveSameSite
    ? 'cookies-secure-with-httponly-sessions-and-samesite'
    : 'cookies-secure-with-httponly-sessions';
}

function crossOriginResourceSharing({ preflight: { origin, headers } }: Visit): Finding {
  const allowed = headers.get('access-control-allow-origin')?.trim();
  if (!allowed) return 'cross-origin-resource-sharing-not-implemented';
  if (allowed === '*') return 'cross-origin-resource-sharing-implemented-with-public-access';
  const withCredentials = headers.get('access-control-allow-credentials')?.trim().toLowerCase() === 'true';
  return allowed === origin && withCredentials
    ? 'cross-origin-resource-sharing-implemented-with-universal-access'
    : 'cross-origin-resource-sharing-implemented-with-restricted-access';
}

function redirection({ httpRoute }: Visit): Finding {
  if (httpRoute === null) return 'redirection-not-needed-no-http';
  const [first, second, last] = [httpRoute[0], httpRoute[1], httpRoute.at(-1)].map((address) =>
    address === undefined ? null : new URL(address),
  );
  if (!second) return 'redirection-missing';
  if (last?.protocol !== 'https:') return 'redirection-not-to-https';
  if (second.protocol === 'http:') return 'redirection-not-to-https-on-initial-redirection';
  return first?.hostname === second.hostname ? 'redirection-to-https' : 'redirection-off-host-from-http';
}

const PRIVATE_REFERRERS = ['no-referrer', 'same-origin', 'strict-origin', 'strict-origin-when-cross-origin'];
const UNSAFE_REFERRERS = ['origin', 'origin-when-cross-origin', 'unsafe-url', 'no-referrer-when-downgrade'];

function referrerPolicy({ headers, html }: Visit): Finding {
  const equivalent = parse(html).querySelector('meta[name="referrer"]')?.getAttribute('content');
  const given = [headers.get('referrer-policy'), equivalent].filter((value) => value != null);
  if (given.length === 0) return 'referrer-policy-not-implemented';
  const last = given
    .join()
    .toLowerCase()
    .split(',')
    .map((value) => value.trim())
    .findLast((value) => [...PRIVATE_REFERRERS, ...UNSAFE_REFERRERS].includes(value));
  if (last === undefined) return 'referrer-policy-header-invalid';
  return PRIVATE_REFERRERS.includes(last) ? 'referrer-policy-private' : 'referrer-policy-unsafe';
}

/** 180 days: somewhat less than the six months that it speaks of. */
const SIX_MONTHS_SECONDS = 15_552_000;

function strictTransportSecurity({ headers }: Visit): Finding {
  const header = headers.get('strict-transport-security');
  if (header === null) return 'hsts-not-implemented';
  const maxAge = /(?:^|;)\s*max-age=(\d+)/i.exec(header)?.[1];
  if (maxAge === undefined || header.includes(',')) return 'hsts-header-invalid';
  return Number(maxAge) >= SIX_MONTHS_SECONDS
    ? 'hsts-implemented-max-age-at-least-six-months'
    : 'hsts-implemented-max-age-less-than-six-months';
}

/** From what is least bad to what is worst. */
const SCRIPT_FAULTS = [
  'sri-implemented-but-external-scripts-not-loaded-securely',
  'sri-not-implemented-but-external-scripts-loaded-securely',
  'sri-not-implemented-and-external-scripts-not-loaded-securely',
] as const satisfies Finding[];

/** Any address with a host counts as another site's: ours name none. */
function subresourceIntegrity({ html }: Visit): Finding {
  const scripts = parse(html).querySelectorAll('script');
  if (scripts.length === 0) return 'sri-not-implemented-but-no-scripts-loaded';
  const faults = new Set<Finding>();
  let [anyForeign, anyOwnWithIntegrity] = [false, false];
  for (const script of scripts) {
    const src = script.getAttribute('src');
    if (!src) continue;
    const hasIntegrity = Boolean(script.getAttribute('integrity'));
    if (!/^(https?:)?\/\//.test(src)) {
      anyOwnWithIntegrity ||= hasIntegrity;
      continue;
    }
    anyForeign = true;
    const isSecure = src.startsWith('https:');
    if (hasIntegrity && !isSecure) faults.add('sri-implemented-but-external-scripts-not-loaded-securely');
    if (!hasIntegrity && isSecure) faults.add('sri-not-implemented-but-external-scripts-loaded-securely');
    if (!hasIntegrity && !isSecure)
      faults.add('sri-not-implemented-and-external-scripts-not-loaded-securely');
  }
  const worst = SCRIPT_FAULTS.findLast((fault) => faults.has(fault));
  if (worst !== undefined) return worst;
  if (anyForeign) return 'sri-implemented-and-external-scripts-loaded-securely';
  return anyOwnWithIntegrity
    ? 'sri-implemented-and-all-scripts-loaded-securely'
    : 'sri-not-implemented-but-all-scripts-loaded-from-secure-origin';
}

function contentTypeOptions({ headers }: Visit): Finding {
  const header = headers.get('x-content-type-options');
  if (header === null) return 'x-content-type-options-not-implemented';
  return header.trim().toLowerCase() === 'nosniff'
    ? 'x-content-type-options-nosniff'
    : 'x-content-type-options-header-invalid';
}

function frameOptions({ headers }: Visit): Finding {
  const policy = readPolicy(headers.get('content-security-policy') ?? '');
  if (policy?.has('frame-ancestors')) return 'x-frame-options-implemented-via-csp';
  const header = headers.get('x-frame-options')?.trim().toLowerCase();
  if (header === undefined) return 'x-frame-options-not-implemented';
  if (header === 'deny' || header === 'sameorigin') return 'x-frame-options-sameorigin-or-deny';
  return header.startsWith('allow-from')
    ? 'x-frame-options-allow-from-origin'
    : 'x-frame-options-header-invalid';
}

function resourcePolicy({ headers }: Visit): Finding {
  const header = headers.get('cross-origin-resource-policy')?.trim().toLowerCase();
  if (header === undefined) return 'cross-origin-resource-policy-not-implemented';
  return header === 'same-origin' || header === 'same-site' || header === 'cross-origin'
    ? `cross-origin-resource-policy-implemented-with-${header}`
    : 'cross-origin-resource-policy-header-invalid';
}

const OPENER_POLICIES = ['same-origin', 'same-origin-allow-popups', 'noopener-allow-popups'];
const EMBEDDER_POLICIES = ['require-corp', 'credentialless'];

/** `unsafe-none`, the browsers' default, earns what no header does. */
function isolation({ headers }: Visit, kind: 'coop' | 'coep', name: string, policies: string[]): Finding {
  const policy = headers.get(name)?.split(';')[0]?.trim();
  if (policy === undefined || policy === 'unsafe-none') return `${kind}-not-implemented`;
  return policies.includes(policy) ? `${kind}-implemented` : `${kind}-header-invalid`;
}
