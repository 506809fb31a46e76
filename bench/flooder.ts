import autocannon from 'autocannon';
import type { Flood } from './load.ts';

/** Longer than any measurement; `whileFlooded` ends this process. */
const LIMIT_SECONDS = 600;

// Floods from a process of its own: in the measuring process the flood would delay the answers that are measured.
process.once('message', ({ origin: url, connections, requests }: Flood) => {
  autocannon({ url, connections, requests, duration: LIMIT_SECONDS }, () => {}).once('response', () =>
    process.send?.('under way'),
  );
});
process.once('disconnect', () => process.exit());
