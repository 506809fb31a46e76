import { supportContactParts } from '../../shared/supportContact.ts';

/** Shows the operator's `SUPPORT_CONTACT`, if the page has one. */
export function SupportContact() {
  const line = document.querySelector<HTMLMetaElement>('meta[name=support-contact]')?.content ?? '';
  if (line === '') return null;
  return (
    <>
      {' '}
      <span className="message__support" dir="auto">
        {supportContactParts(line).map(({ text, href }) =>
          href === null ? (
            text
          ) : (
            // Opens a new tab, because another page in this tab would end the audio.
            <a
              key={text}
              href={href}
              target={href.startsWith('https:') ? '_blank' : undefined}
              rel="noreferrer"
            >
              {text}
            </a>
          ),
        )}
      </span>
    </>
  );
}
