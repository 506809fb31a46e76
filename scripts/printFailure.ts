import { OperatorError } from '../server/errors.ts';

/** Prints why a script failed, and sets exit code 1. */
export function printFailure(error: unknown): void {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
}
