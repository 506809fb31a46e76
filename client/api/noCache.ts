import { ApolloCache, type Cache } from '@apollo/client/cache';

/**
 * A cache that keeps nothing. Every operation here is asked once and its answer kept where it belongs, so the normalised cache
 * would only be 11 kB more to load, brotli, and one more place that holds a token.
 */
export class NoCache extends ApolloCache {
  override read() {
    return null;
  }

  override write() {
    return undefined;
  }

  override diff<TData>(): Cache.DiffResult<TData> {
    return { result: null, complete: false };
  }

  override watch() {
    return () => undefined;
  }

  override async reset() {}

  override evict() {
    return false;
  }

  override restore() {
    return this;
  }

  override extract() {
    return {};
  }

  override removeOptimistic() {}

  override fragmentMatches() {
    return false;
  }

  override performTransaction(transaction: (cache: this) => void) {
    transaction(this);
  }
}
