export type ContactPart = { text: string; href: string | null };

const ADDRESS = new RegExp(
  [
    String.raw`(?<https>https:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])`,
    String.raw`(?<mail>[\p{L}\d][\p{L}\d._+-]*@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+)`,
    String.raw`(?<telephone>(?:\(?\+)?\d[\d\s().\/-]{4,}\d)`,
  ].join('|'),
  'giu',
);

const TELEPHONE_MAX_DIGITS = 15;

export function supportContactParts(line: string): ContactPart[] {
  const parts: ContactPart[] = [];
  let end = 0;
  for (const { 0: text, index, groups } of line.matchAll(ADDRESS)) {
    const href = hrefOf(text, groups);
    if (href === null) continue;
    if (index > end) parts.push({ text: line.slice(end, index), href: null });
    parts.push({ text, href });
    end = index + text.length;
  }
  if (end < line.length) parts.push({ text: line.slice(end), href: null });
  return parts;
}

function hrefOf(text: string, groups: Record<string, string | undefined> | undefined): string | null {
  if (groups?.https) return normalUrl(text);
  if (groups?.mail) return `mailto:${text}`;
  // The zero in "+44 (0)20" is only dialled within the country.
  const number = text.replace(/\(0\)/, '').replace(/[^\d+]/g, '');
  const digits = number.replace('+', '').length;
  return digits >= 6 && digits <= TELEPHONE_MAX_DIGITS ? `tel:${number}` : null;
}

/**
 * Returns null for an invalid URL, or if normalising gives it a character that `ADDRESS` leaves out (a full-width
 * quotation mark). `URL.canParse` is missing in the oldest supported browsers.
 */
function normalUrl(text: string): string | null {
  try {
    const { href } = new URL(text);
    return /[\s<>"']/.test(href) ? null : href;
  } catch {
    return null;
  }
}
