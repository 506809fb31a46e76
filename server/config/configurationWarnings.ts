import { KNOWN_VARIABLES } from './config.ts';
import { misspeltWarnings, unreadByNode } from './dotEnv.ts';

const INSECURE_STREAM =
  'STREAM_BASE_URL begins with http://, which a page served by https cannot play: ask the provider for its https:// address';

/**
 * Returns a warning for each variable that can be used as it is, but hardly does what was meant. A start logs them, and
 * `check` names them.
 * @param dotEnv - the content of `.env`
 */
export function configurationWarnings(env: NodeJS.ProcessEnv, dotEnv: string): string[] {
  return [
    ...misspeltWarnings(env),
    ...unreadByNode(dotEnv, env).map(
      (name) =>
        `Node reads ${name} only at its start, before the file .env, so it is not used, as it is by systemd and Docker Compose: set it in the shell too`,
    ),
    ...KNOWN_VARIABLES.filter((name) => /\s#/.test(env[name] ?? '')).map(
      (name) => `${name} holds " #", as if a comment after the value had been read with it`,
    ),
    ...(/^http:/i.test(env.STREAM_BASE_URL ?? '') ? [INSECURE_STREAM] : []),
  ];
}
