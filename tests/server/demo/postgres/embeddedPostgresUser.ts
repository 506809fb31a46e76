import { openEmbeddedPostgres } from '../../../../server/demo/postgres/embeddedPostgres.ts';
import { THROWAWAY_SETTINGS } from '../../../support/throwawayPostgres.ts';

/** Opens the embedded PostgreSQL of a folder, prints its address, and closes it when the input ends. */
const [, , folder = ''] = process.argv;
const postgres = await openEmbeddedPostgres({ folder, settings: THROWAWAY_SETTINGS });
process.stdout.write(`${postgres.url}\n`);
process.stdin.resume().once('end', () => void postgres.close());
