import { reasonOf } from './loggedError.ts';

/** What Node or a package warns of: its kind, its code if it has one, and the rest on one line without addresses. */
export type ProcessWarning = { type: string; code?: string; message: string };

/**
 * Hands over the warnings that Node would else print on standard error in a form of its own, on any number of lines
 * (docs/decisions/0015-logs.md). With `--no-warnings` there are none.
 */
export function onProcessWarning(say: (warning: ProcessWarning) => void): void {
  // Node prints them by a listener, which it has not where they are not wanted.
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error & { code?: unknown }) => {
    const { name, code } = warning;
    const message = reasonOf(warning).replaceAll(/\s+/g, ' ').trim();
    say({ type: name, ...(typeof code === 'string' && { code }), message });
  });
}
