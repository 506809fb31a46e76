import { OperatorError } from '../server/errors.ts';

export function printFailure(error: unknown): void {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
}
