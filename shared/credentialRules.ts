export const CREDENTIAL_MIN_LENGTH = 6;
export const CREDENTIAL_MAX_LENGTH = 32;

/** Control characters and lone surrogates: PostgreSQL stores neither a NUL nor half a surrogate pair. */
export const NEVER_STORED = /[\p{Cc}\p{Cs}]/u;

export const USERNAME_ERROR = 'Debes ingresar un correo valido';
const PASSWORD_ERROR = 'Debes ingresar una contraseña';
export const INVALID_CREDENTIALS_MESSAGE = 'Credenciales invalidas';

export type CredentialErrors = { username?: string; password?: string };

/**
 * Returns the error of each field that breaks its limits; an empty object if a sign-in may be tried (specification,
 * section 5). Lengths are in UTF-16 code units, as an input's `maxlength` counts them; nothing is trimmed.
 */
export function credentialErrors(username: string, password: string): CredentialErrors {
  const errors: CredentialErrors = {};
  if (!hasCredentialLength(username)) errors.username = USERNAME_ERROR;
  if (!hasCredentialLength(password)) errors.password = PASSWORD_ERROR;
  return errors;
}

function hasCredentialLength(text: string): boolean {
  return text.length >= CREDENTIAL_MIN_LENGTH && text.length <= CREDENTIAL_MAX_LENGTH;
}
