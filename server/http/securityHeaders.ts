import fastifyHelmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** Firebase Analytics and the Google tag that it loads; the hosts for advertising are missing, because it is off. */
const ANALYTICS_SOURCES = {
  script: ['https://www.googletagmanager.com'],
  image: ['https://www.googletagmanager.com', 'https://*.google-analytics.com'],
};
const NO_SOURCES = { script: [], image: [] };

/** Sent over https only: over plain http Chromium reports the opener policy as an error in the console. */
const HTTPS_HEADERS = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

export const NO_PAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/**
 * Audio may come from any host, because the stream may redirect to one that is not known beforehand; over plain http
 * only if the stream's address is http. The player's own request, which asks why a stream does not open, follows the
 * same redirects. Pages may be opened over plain http: a studio may run the tool in its own network.
 */
export async function addSecurityHeaders(
  app: FastifyInstance,
  { streamBaseUrl, analytics }: { streamBaseUrl: string; analytics: boolean },
): Promise<void> {
  const more = analytics ? ANALYTICS_SOURCES : NO_SOURCES;
  const isPlainHttp = new URL(streamBaseUrl).protocol === 'http:';
  const streamSources = ["'self'", 'https:', ...(isPlainHttp ? ['http:'] : [])];
  await app.register(fastifyHelmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...more.script],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', ...more.image],
        connectSrc: streamSources,
        mediaSrc: streamSources,
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // Protects browsers that do not know frame-ancestors.
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    strictTransportSecurity: false,
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.protocol === 'https') reply.headers(HTTPS_HEADERS);
    done();
  });
}
