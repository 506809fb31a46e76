import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { BODY_LIMIT_BYTES } from '../../../server/http/requestRules.ts';
import { GRAPHQL_PATH, HEALTH_PATH, LIVE_PATH, READY_PATH } from '../../../shared/paths.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, 'deploy', file), 'utf8');

test("nginx names the server's own paths", () => {
  const site = read('nginx.conf');
  for (const health of [HEALTH_PATH, READY_PATH]) {
    expect(site.match(new RegExp(`location = ${health} \\{`, 'g'))).toHaveLength(2);
  }
  expect(site).toContain(`location ${LIVE_PATH} {\n        error_log /dev/null`);
  expect(site).toContain(`client_max_body_size ${BODY_LIMIT_BYTES / 1024}k;`);
});

test("nginx refuses the API's paths over plain http", () => {
  const refused = `($uri ~ ^/(${GRAPHQL_PATH.slice(1)}$|${LIVE_PATH.slice(1)}))`;
  expect(read('nginx-https.conf')).toContain(refused);
});
