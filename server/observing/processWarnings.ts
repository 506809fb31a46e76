import { reasonWithoutSecrets } from './sanitizing.ts';

export type ProcessWarning = { type: string; code?: string; message: string };

export function onProcessWarning(say: (warning: ProcessWarning) => void): void {
  // Node prints warnings by a listener of its own, which `--no-warnings` leaves out.
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error & { code?: unknown }) => {
    const { name, code } = warning;
    const message = reasonWithoutSecrets(warning).replaceAll(/\s+/g, ' ').trim();
    say({ type: name, ...(typeof code === 'string' && { code }), message });
  });
}
