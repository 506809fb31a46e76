import autocannon from 'autocannon';
import type { Flood } from './load.ts';

/** Longer than any measurement. */
const FLOOD_SECONDS = 600;

// A process that sends the requests of one flood until it is killed, and reports the first answer.
process.once('message', (flood: Flood) => {
  autocannon({ ...flood, duration: FLOOD_SECONDS }, () => {}).once('response', () =>
    process.send?.('under way'),
  );
});
process.once('disconnect', () => process.exit());
