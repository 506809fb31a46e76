import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';

/** What Firebase Analytics calls and the Google tag that it loads; nothing of advertising, which the client switches off. */
const ANALYTICS_SOURCES = {
  script: ['https://www.googletagmanager.com'],
  connect: [
    'https://firebase.googleapis.com',
    'https://firebaseinstallations.googleapis.com',
    'https://www.googletagmanager.com',
    'https://*.google-analytics.com',
    'https://*.analytics.google.com',
  ],
  image: ['https://www.googletagmanager.com', 'https://*.google-analytics.com'],
};
const NO_SOURCES = { script: [], connect: [], image: [] };

/** What counts over https alone; by plain http Chromium complains of the opener policy in the console. */
const HTTPS_HEADERS = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/**
 * The headers of every answer. Pages may load only what we serve ourselves, audio from the stream's origin, and analytics
 * where they are configured.
 * Nothing here asks for https: a studio may open the tool by plain http in its own network.
 */
export function addSecurityHeaders(
  app: FastifyInstance,
  { streamBaseUrl, analytics }: { streamBaseUrl: string; analytics: boolean },
): void {
  const more = analytics ? ANALYTICS_SOURCES : NO_SOURCES;
  const streamOrigin = new URL(streamBaseUrl).origin;
  const headers = headersBy({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...more.script],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', ...more.image],
        // The stream's too: only a request of its own tells why a stream does not open.
        connectSrc: ["'self'", streamOrigin, ...more.connect],
        mediaSrc: ["'self'", streamOrigin],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // For browsers that do not know frame-ancestors.
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    strictTransportSecurity: false,
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers);
    if (request.protocol === 'https') reply.headers(HTTPS_HEADERS);
    done();
  });
}

/** What helmet says with these options to every request alike; made once, for helmet makes it anew for each. */
function headersBy(options: HelmetOptions): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet(options)(request, response, (error) => {
    if (error !== undefined) throw error;
  });
  return { ...response.getHeaders() };
}

/** For an answer that comes before any hook: to an address that cannot be read. */
export const NO_PAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/** Apollo Sandbox's page brings the policy for what it loads itself; these are the rules that a page cannot give itself. */
export const SANDBOX_CONTENT_SECURITY_POLICY = "base-uri 'none'; object-src 'none'; frame-ancestors 'none'";
