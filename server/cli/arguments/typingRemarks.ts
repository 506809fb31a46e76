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
