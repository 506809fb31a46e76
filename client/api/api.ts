// What is loaded with Apollo, as one file (client/loadApi.ts).
export { Operations } from './Operations.tsx';
export { endPendingSession, logIn } from './session.ts';
