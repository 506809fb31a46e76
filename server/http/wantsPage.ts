import type { FastifyRequest } from 'fastify';

/** The media types of Apollo Server's answers (GraphQL over HTTP, section 6.1). */
const JSON_TYPES = ['application/json', 'application/graphql-response+json'];

/** True for a browser that opens an address, false for programs and for requests of a page's scripts. */
export function wantsPage({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (isBearer(headers.authorization)) return false;
  // Browsers send it over https, and to this machine.
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate';
  const { accept = '*/*' } = headers;
  return weightOf('text/html', accept) > Math.max(...JSON_TYPES.map((type) => weightOf(type, accept)));
}

export function acceptsJson({ headers: { accept = '*/*' } }: FastifyRequest): boolean {
  return JSON_TYPES.some((type) => weightOf(type, accept) > 0);
}

/** Other schemes of `Authorization` may be a proxy's, and browsers send them by themselves. */
export function isBearer(authorization = ''): boolean {
  return /^Bearer\b/i.test(authorization);
}

/** The most specific range counts (RFC 9110, 12.5.1). */
function weightOf(type: string, accept: string): number {
  const weights = new Map(accept.toLowerCase().split(',').map(weightOfRange));
  return weights.get(type) ?? weights.get(type.replace(/[^/]+$/, '*')) ?? weights.get('*/*') ?? 0;
}

function weightOfRange(range: string): [name: string, weight: number] {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
  return [name, Number(weight ?? 1)];
}
