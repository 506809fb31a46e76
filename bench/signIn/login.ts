import { type Benchmark, inRounds } from '../benchmark.ts';
import { figure, ratio } from '../figures.ts';
import { drive, loadLength } from '../load.ts';
import { nextSignIn } from '../requests.ts';
import { withTestbed } from '../testbed.ts';
import { bareVerifyRate } from './bareHash.ts';

const CONNECTIONS = 8;
const ROUNDS = 5;
const BARE_SECONDS = 3;
/** Sign-ins are few per second, so V8 takes long to compile their code. */
const COMPILING_SECONDS = 20;

/**
 * Compares the rate of sign-ins with the bare rate of argon2id. To give the app a core of its own:
 * `APP_PREFIX='taskset -c 1' taskset -c 0 npm run bench -- login`.
 */
export const loginBenchmark: Benchmark = ({ smoke }) =>
  withTestbed(async (testbed) => {
    const app = await testbed.startApp({ prefix: process.env.APP_PREFIX ?? '' });
    const load = { origin: app.address, connections: CONNECTIONS, request: nextSignIn, expected: '"jwt":' };
    if (!smoke) await drive({ ...load, length: { seconds: COMPILING_SECONDS } });
    const { bare, login } = await inRounds(smoke ? 1 : ROUNDS, {
      bare: () => bareVerifyRate(smoke ? 0.2 : BARE_SECONDS),
      login: async () => (await drive({ ...load, length: loadLength({ smoke }) })).perSecond,
    });
    const rows = {
      'bare argon2id': { rate: figure(bare, '/s') },
      'this app': { rate: figure(login, '/s'), 'of bare': ratio(login, bare) },
    };
    return [{ title: `login, ${CONNECTIONS} at a time`, rows }];
  });
