import { openEmbeddedPostgres } from '../../../../server/demo/postgres/embeddedPostgres.ts';
import { THROWAWAY_SETTINGS } from '../../../support/throwawayPostgres.ts';

/** A process that opens the embedded PostgreSQL of the folder given, says its address, and closes it when its input ends. */
const [, , folder = ''] = process.argv;
const postgres = await openEmbeddedPostgres({ folder, settings: THROWAWAY_SETTINGS });
process.stdout.write(`${postgres.url}\n`);
process.stdin.resume().once('end', () => void postgres.close());
