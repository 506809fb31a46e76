const CHAIN_MISSING = /^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?)$/;

/** @returns what to do about a connection that failed with this code of Node's, null if it has another cause */
export function certificateAdvice(code: string): string | null {
  if (!CHAIN_MISSING.test(code)) return null;
  return (
    "the provider's server sends its certificate without the intermediate one, which browsers may know: ask it to send the whole chain; " +
    'if the certificate is of an authority of its own, name that by NODE_EXTRA_CA_CERTS'
  );
}
