import { expect, test } from 'vitest';
import { copiedText } from '../../../../client/dashboard/token/CopyUrl.tsx';

/** In this machine's time zone, as in the partner's browser. */
const EXPIRES_AT = new Date(2026, 2, 1, 4, 31, 12).getTime();

test.each([
  ['calm', 'Copiada · conéctate antes de las 04:31'],
  ['last', 'Copiada · últimos minutos: conéctate antes de las 04:31'],
  ['refused', 'Copiada, pero el proveedor rechaza este Token.'],
] as const)('a copy with the urgency %s is confirmed by “%s”', (urgency, text) => {
  expect(copiedText(urgency, EXPIRES_AT)).toBe(text);
});
