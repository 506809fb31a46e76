import { expect, test } from 'vitest';
import { originText } from '../../../../client/dashboard/history/todaysTokens.ts';

test('an unknown address is not taken for the browser’s own unknown one', () => {
  expect(originText({ client: 'BROWSER', keyName: null, address: null }, null)).toContain('IP desconocida');
});
