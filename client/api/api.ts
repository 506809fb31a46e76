// What is loaded with Apollo, as one file (client/loadApi.ts).
export { Operations } from './Operations.tsx';
export { endSession, logIn } from './session.ts';
