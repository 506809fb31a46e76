import fc from 'fast-check';
import * as steps from './steps.ts';

const MAX_LENGTH = 24;

// Mostly the first one, so that steps meet.
const username = fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2);
const keyName = fc.constantFrom('codec', 'recorder');
const index = fc.nat(11);

const ON_ACCOUNT = [
  ...['set-password', 'set-password', 'set-password', 'disable', 'disable', 'enable', 'enable', 'enable'],
  ...['end-sessions', 'unlock', 'delete'],
];

const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...ON_ACCOUNT), username).map((args) => steps.account(...args)),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('add-key', 'add-key', 'revoke-key'), username, keyName)
      .map((args) => steps.account(...args)),
  },
  fc.tuple(username, fc.constantFrom('none', '2099-12-31')).map((args) => steps.account('extend', ...args)),
  fc.tuple(username, username).map((args) => steps.account('rename', ...args)),
  username.map((u) => steps.add(u)),
  fc.constantFrom('Hoy 21:30', 'Hoy 22:00').map((text) => steps.setNotice(text)),
  fc.constant(steps.clearNotice()),
);

const partnersAct = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(username, fc.constantFrom('right', 'right', 'wrong'), fc.integer({ min: -1, max: 5 }))
      .map((args) => steps.signIn(...args)),
  },
  index.map((i) => steps.signOut(i)),
  { weight: 3, arbitrary: index.map((i) => steps.createToken(i)) },
);

const act = fc.oneof({ weight: 2, arbitrary: command }, { weight: 1, arbitrary: partnersAct });
const order = fc.string({ unit: fc.constantFrom('0', '1'), maxLength: 24, size: 'max' });

const anyStep = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(act, act, order).map((args) => steps.atOnce(...args)) },
  { weight: 4, arbitrary: act },
  { weight: 1, arbitrary: fc.tuple(fc.nat(7), command).map((args) => steps.losing(...args)) },
  { weight: 1, arbitrary: username.map((u) => steps.crowd(u)) },
  { weight: 1, arbitrary: username.map((u) => steps.endComes(u)) },
);

/** Steps of operators, partners and tools; the first ones make something that can be lost. */
export const anySteps = fc
  .array(anyStep, { minLength: 1, maxLength: MAX_LENGTH, size: 'max' })
  .map((made) => [
    steps.add(0),
    steps.signIn(0, 'right', -1),
    steps.account('add-key', 0, 'recorder'),
    ...made,
  ]);
