import { z } from 'zod';
import {
  CREDENTIAL_MAX_LENGTH,
  CREDENTIAL_MIN_LENGTH,
  NEVER_STORED,
} from '../../../shared/credentialRules.ts';
import { UsageError } from '../cliProcess.ts';

export const CREDENTIAL_LENGTHS = `${CREDENTIAL_MIN_LENGTH} to ${CREDENTIAL_MAX_LENGTH} characters`;

const COMPANY_MAX_LENGTH = 200;
const KEY_NAME_MAX_LENGTH = 64;

/** The longest id that the old document collection could hold, in bytes of UTF-8. */
const ID_MAX_BYTES = 1500;

const REPLACEMENT_CHARACTER = '\u{FFFD}';

const text = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'is not text') })
  .refine(
    (value) => !NEVER_STORED.test(value) && !value.includes(REPLACEMENT_CHARACTER),
    'contains control characters or damaged text',
  );
const notBlank = (value: string) => value.trim() !== '';
const filled = text.refine(notBlank, 'is blank');
const credential = text
  .min(CREDENTIAL_MIN_LENGTH, `is shorter than ${CREDENTIAL_MIN_LENGTH} characters`)
  .max(CREDENTIAL_MAX_LENGTH, `is longer than ${CREDENTIAL_MAX_LENGTH} characters`);

/**
 * The rules for a stored account. Username and password have the lengths of the sign-in form (specification, section
 * 5), in UTF-16 code units, without trimming. No message quotes a value.
 */
export const accountSchema = z.object(
  {
    id: filled.refine((id) => Buffer.byteLength(id) <= ID_MAX_BYTES, `is longer than ${ID_MAX_BYTES} bytes`),
    username: credential.refine(notBlank, 'is blank'),
    password: credential,
    company: filled.max(COMPANY_MAX_LENGTH, `is longer than ${COMPANY_MAX_LENGTH} characters`),
  },
  'not a JSON object',
);

export const keyNameSchema = z.object({
  name: filled.max(KEY_NAME_MAX_LENGTH, `is longer than ${KEY_NAME_MAX_LENGTH} characters`),
});

export function parseFields<Fields>(rules: z.ZodType<Fields>, fields: Fields): Fields {
  const { data, error } = rules.safeParse(fields);
  if (error !== undefined) throw new UsageError(faultsOf(error));
  return data;
}

export function faultsOf<Fields>(error: z.ZodError<Fields>): string {
  const { formErrors, fieldErrors } = z.flattenError(error);
  const faults = Object.entries<string[] | undefined>(fieldErrors).map(
    ([field, messages]) => `${field} ${messages?.[0]}`,
  );
  return [...formErrors, ...faults].join('; ');
}

/** Imported texts are not refused: they may begin or end with a blank, as in the old collection. */
export function refuseOuterBlanks(typed: { username?: string; company?: string }): void {
  for (const [field, text] of Object.entries(typed)) {
    if (text !== text.trim()) throw new UsageError(`${field} begins or ends with a blank`);
  }
}

/**
 * Says what of a username or password a partner may type otherwise, and then be locked out: both match exactly as
 * stored. Quotes nothing.
 */
export function typingRemarks(fields: { username?: string; password?: string }): string[] {
  return Object.entries(fields).flatMap(([field, text]) => [
    ...(text === text.trim()
      ? []
      : [`${field} begins or ends with a space, which must be typed too when signing in`]),
    ...(text === text.normalize('NFC')
      ? []
      : [
          `${field} has decomposed letters, such as ñ written as n and a tilde, which keyboards do not type: choose it anew, or have it pasted`,
        ]),
  ]);
}
