import { userInfo } from 'node:os';

/**
 * Returns the operating system's name of the person who runs the command; with sudo, of the person who ran sudo.
 * @param user - returns the user of the process; throws where it has no name, as in a container that runs with a number
 */
export function operatorName({ SUDO_USER }: NodeJS.ProcessEnv, user = userInfo): string {
  if (SUDO_USER) return SUDO_USER;
  try {
    return user().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
