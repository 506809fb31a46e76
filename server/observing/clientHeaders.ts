import type { IncomingHttpHeaders } from 'node:http';
import { KEY_PREFIX } from '../keys/key.ts';

const CLIENT_NAME = /^[A-Za-z][\w .-]{0,39}$/;
/** W3C Trace Context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/;
const SECRET = new RegExp(`${KEY_PREFIX}|eyJ`);

/** The client's headers that go into the log: only if they look like a name or an id, and never a key or a JWT. */
export function clientHeaders(headers: IncomingHttpHeaders): { client?: string; trace?: string } {
  const name = String(headers['apollographql-client-name'] ?? '');
  const trace = TRACEPARENT.exec(String(headers.traceparent ?? ''))?.[1];
  return {
    ...(CLIENT_NAME.test(name) && !SECRET.test(name) && { client: name }),
    ...(trace !== undefined && { trace }),
  };
}
