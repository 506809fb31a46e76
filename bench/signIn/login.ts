import { type Benchmark, inRounds } from '../benchmark.ts';
import { figure, ratio } from '../figures.ts';
import { drive, loadLength } from '../load.ts';
import { nextSignIn } from '../requests.ts';
import { withWorld } from '../world.ts';
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
export const loginBenchmark: Benchmark = (effort) =>
  withWorld(async (world) => {
    const app = await world.startApp({ prefix: process.env.APP_PREFIX ?? '' });
    const load = {
      origin: app.address,
      connections: CONNECTIONS,
      request: nextSignIn,
      expected: '"jwt":',
      length: loadLength(effort),
    };
    if (!effort.smoke) await drive({ ...load, length: { seconds: COMPILING_SECONDS } });
    const bare = () => bareVerifyRate(effort.smoke ? 0.2 : BARE_SECONDS);
    const login = async () => (await drive(load)).perSecond;
    const found = await inRounds(effort.smoke ? 1 : ROUNDS, [bare, login], (measure) => measure());
    const bareRate = figure('/s', found.get(bare), Number);
    const loginRate = figure('/s', found.get(login), Number);
    return [
      {
        title: `login, ${CONNECTIONS} at a time`,
        rows: [
          { name: 'bare argon2id', figures: { rate: bareRate } },
          { name: 'this app', figures: { rate: loginRate, 'of bare': ratio(loginRate, bareRate) } },
        ],
      },
    ];
  });
