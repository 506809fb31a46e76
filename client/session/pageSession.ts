import { createSession } from './session.ts';
import { browserStorage } from './storage.ts';

export const pageSession = createSession(browserStorage);
