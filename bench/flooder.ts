import autocannon from 'autocannon';
import type { Flood } from './load.ts';

/** Longer than any measurement: the process is ended from outside. */
const LIMIT_SECONDS = 600;

// A process of its own, since a flood in the one that measures would keep the answers waiting.
process.once('message', ({ origin: url, connections, requests }: Flood) => {
  autocannon({ url, connections, requests, duration: LIMIT_SECONDS }, () => {}).once('response', () =>
    process.send?.('under way'),
  );
});
process.once('disconnect', () => process.exit());
