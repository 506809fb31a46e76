/** What a terminal obeys and nobody sees: control characters, changes of direction, line ends. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of somebody else's that does nothing to the terminal which it is shown on. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/** A character as JSON would write it. */
export function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
