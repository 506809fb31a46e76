import { on } from 'node:events';
import { createInterface } from 'node:readline';
import type { CommandRuntime } from '../commandContext.ts';

/**
 * @returns the line typed, or null at the end of input (Ctrl-D)
 * @throws the interruption's reason
 */
export async function askLine(
  question: string,
  { input, remarks, interruption }: Pick<CommandRuntime, 'input' | 'remarks' | 'interruption'>,
): Promise<string | null> {
  // The terminal itself shows and edits the line, since readline gets no output.
  const terminal = createInterface({ input });
  try {
    const lines = on(terminal, 'line', { signal: interruption.signal, close: ['close'] });
    remarks.write(question);
    const { value, done } = await lines.next();
    if (!done) return String(value[0]);
    remarks.write('\n');
    return null;
  } finally {
    terminal.close();
  }
}
