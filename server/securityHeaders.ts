import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/**
 * The headers of every answer. Pages may load only what we serve ourselves, and audio from the stream's origin.
 * Nothing here asks for https: a studio may open the tool by plain http in its own network.
 */
export async function addSecurityHeaders(app: FastifyInstance, streamBaseUrl: string): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        mediaSrc: ["'self'", new URL(streamBaseUrl).origin],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
  });
}

/** Apollo Sandbox's page brings the policy for what it loads itself; these are the rules that a page cannot give itself. */
export const SANDBOX_CONTENT_SECURITY_POLICY = "base-uri 'none'; object-src 'none'; frame-ancestors 'none'";
