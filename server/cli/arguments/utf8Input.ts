import { OperatorError } from '../../errors.ts';

const UTF_16_MARKS = ['fffe', 'feff'];

/**
 * Decodes standard input, without the byte order mark that Notepad and PowerShell write at its start.
 * @throws {OperatorError} when it is not UTF-8
 */
export function utf8Input(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  // UTF-16 without a mark is valid UTF-8, with a NUL beside each letter.
  if (UTF_16_MARKS.includes(start) || bytes.includes(0)) {
    throw new OperatorError(
      'standard input is not UTF-8 text but UTF-16: in PowerShell write it by Out-File -Encoding utf8',
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new OperatorError('standard input is not UTF-8 text');
  }
}
