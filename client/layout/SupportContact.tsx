import { PAGE_META } from '../../shared/pageMeta.ts';
import { supportContactParts } from '../../shared/supportContact.ts';
import { readPageMeta } from '../readPageMeta.ts';
import { useFocusHandedOver } from './useFocusHandedOver.ts';
import './SupportContact.css';

export function SupportContact() {
  const { ref } = useFocusHandedOver<HTMLSpanElement>();
  const line = readPageMeta(PAGE_META.supportContact);
  if (line === null) return null;
  return (
    <span className="message__support" dir="auto" ref={ref}>
      {' '}
      {supportContactParts(line).map(({ text, href }) =>
        href === null ? (
          text
        ) : (
          // Opens a new tab, since another page in this tab would end the audio: a web page may handle mail and calls.
          <a key={text} href={href} target="_blank" rel="noreferrer">
            {text}
          </a>
        ),
      )}
    </span>
  );
}
