const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

export function escapeInvisibleInLines(text: string): string {
  return text
    .split(/(\r?\n)/)
    .map((part, at) => (at % 2 === 0 ? escapeInvisible(part) : part))
    .join('');
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
