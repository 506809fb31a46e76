import { generateCode } from './generatedCode.ts';
import { exitOnSignals, reportFailure } from './steps.ts';

exitOnSignals();
try {
  await generateCode();
} catch (error) {
  reportFailure(error);
}
