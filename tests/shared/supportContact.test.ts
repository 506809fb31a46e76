import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { supportContactParts } from '../../shared/supportContact.ts';

const linksOf = (line: string) => supportContactParts(line).flatMap(({ href }) => href ?? []);

describe('the addresses in the line of SUPPORT_CONTACT', () => {
  test('become links, and the text around them stays', () => {
    expect(supportContactParts('Soporte: soporte@radio.example, +34 600 123 456.')).toEqual([
      { text: 'Soporte: ', href: null },
      { text: 'soporte@radio.example', href: 'mailto:soporte@radio.example' },
      { text: ', ', href: null },
      { text: '+34 600 123 456', href: 'tel:+34600123456' },
      { text: '.', href: null },
    ]);
  });

  test.each([
    ['(+34) 600-123.456', 'tel:+34600123456'],
    ['+44 (0)20 7946 0000', 'tel:+442079460000'],
    ['Señal: 600123456', 'tel:600123456'],
    ['(véase https://radio.example/ayuda?a=b@c.example).', 'https://radio.example/ayuda?a=b@c.example'],
    ['HTTPS://Radio.example', 'https://radio.example/'],
    ['Ñandú <señal.24h+a@emisión.example>', 'mailto:señal.24h+a@emisión.example'],
  ])('%s leads to %s', (line, href) => {
    expect(linksOf(line)).toEqual([href]);
  });

  test.each([
    'Llama a Ana, de 9 a 21 h, desde 2023',
    'http://radio.example',
    'javascript:alert(1)',
    'https://',
    'https://\uff02',
    'ana@estudio',
    '1234567890123456',
    '',
  ])('are none in %j', (line) => {
    expect(linksOf(line)).toEqual([]);
  });

  test('lead nowhere else and lose no character of any line', () => {
    const pieces = fc.constantFrom(
      'https://',
      'a@b.co',
      '+34600123456',
      '"><b',
      'javascript:',
      '?',
      ' ',
      '\u0000',
    );
    const line = fc.array(fc.oneof(pieces, fc.string({ unit: 'grapheme' })), { maxLength: 8 });
    fc.assert(
      fc.property(line, (words) => {
        const parts = supportContactParts(words.join(''));
        expect(parts.map(({ text }) => text).join('')).toBe(words.join(''));
        for (const { href } of parts) {
          if (href !== null)
            expect(href).toMatch(/^(https:\/\/[^\s"<>]+|mailto:[^\s"<>?&]+|tel:\+?\d{6,15})$/);
        }
      }),
    );
  });
});
