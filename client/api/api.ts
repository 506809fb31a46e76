// What is loaded with Apollo, as one file (client/api/loadApi.ts).

export { endPendingSession, logIn } from '../session/serverSession.ts';
export { Operations } from './Operations.tsx';
