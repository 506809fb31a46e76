import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Faster, and safe as long as the machine itself does not crash. */
export const THROWAWAY_SETTINGS = { fsync: 'off', full_page_writes: 'off' };

export type ThrowawayFolder = {
  folder: string;
  /** Stops a PostgreSQL that still runs there and removes everything. */
  remove(): Promise<void>;
};

/** Waits for the end of its input, which comes with the end of our process, however that ends; then leaves nothing behind. */
const CLEAN_UP = `
  cat > /dev/null
  cluster=$(cat "$1/postgres-location" 2> /dev/null || echo "$1/postgres")
  if read -r pid < "$cluster/data/postmaster.pid"; then
    kill -QUIT "$pid"
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" && sleep 0.1; done
  fi
  rm -rf "$cluster" "$1"
`;

/** A folder for an embedded PostgreSQL that goes at the latest when this process ends, killed or not. */
export async function makeThrowawayFolder(): Promise<ThrowawayFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-tests-'));
  const cleanUp = spawn('sh', ['-c', CLEAN_UP, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const cleanedUp = once(cleanUp, 'exit');
  await chmod(folder, 0o711); // root's PostgreSQL runs as another user
  return {
    folder,
    async remove() {
      cleanUp.stdin.end();
      await cleanedUp;
    },
  };
}
