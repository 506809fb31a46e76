import { useId, useState } from 'react';
import { useFocusHandedOver } from '../../layout/focus.ts';
import { Disclosure } from '../Disclosure.tsx';
import { dashboardTexts } from '../dashboardTexts.ts';
import { PlayersGuide } from '../PlayersGuide.tsx';
import { selectsAll } from '../selectsAll.ts';
import { timeOfDay, timeToTheSecond } from '../timeOfDay.ts';
import { useCopy } from '../useCopy.ts';
import { commandFor, likelyShell, liquidsoapSource, PROGRAMS, SHELLS } from './programCommands.ts';
import './OtherPrograms.css';

const texts = dashboardTexts.otherPrograms;

export function OtherPrograms({ url, expiresAt }: { url: string; expiresAt: number }) {
  const [shell, setShell] = useState(() => likelyShell(navigator.userAgent));
  const shellId = useId();
  const { name, href } = m3uFile(url, texts.titleUntil(timeOfDay(expiresAt)), expiresAt);
  return (
    <Disclosure heading={texts.heading}>
      <ul className="programs__list">
        <li className="programs__item">
          <p className="programs__label">{texts.m3uUse}</p>
          <a className="button button--secondary programs__playlist" download={name} href={href}>
            {texts.m3u}
          </a>
        </li>
        <li className="programs__item">
          <p className="programs__label">{texts.obs}</p>
          <p className="programs__note">{texts.obsUse}</p>
        </li>
        <li className="programs__item">
          <CopyableLine label={texts.liquidsoap} line={liquidsoapSource(url)} />
        </li>
        <li className="programs__item">
          <label className="programs__label" htmlFor={shellId}>
            {texts.shell}
          </label>
          <select
            className="input"
            id={shellId}
            value={shell}
            onChange={(event) => setShell(SHELLS.find((one) => one === event.target.value) ?? shell)}
          >
            {SHELLS.map((one) => (
              <option key={one} value={one}>
                {texts.shells[one]}
              </option>
            ))}
          </select>
        </li>
        {PROGRAMS.map((program) => (
          <li className="programs__item" key={program}>
            <CopyableLine label={texts.programs[program]} line={commandFor(program, shell, url)} />
          </li>
        ))}
        <li className="programs__note">
          {texts.ownAddress} <PlayersGuide />
        </li>
      </ul>
    </Disclosure>
  );
}

function CopyableLine({ label, line }: { label: string; line: string | null }) {
  const { copy, field, outcome } = useCopy(line);
  const button = useFocusHandedOver<HTMLButtonElement>(line === null);
  const id = useId();

  return (
    <>
      <label className="programs__label" htmlFor={id}>
        {label}
      </label>
      <div className="programs__line">
        <input
          className="input mono"
          id={id}
          ref={field}
          readOnly
          spellCheck={false}
          value={line ?? texts.noCommand}
          {...selectsAll}
        />
        <button
          className="button button--secondary"
          type="button"
          ref={button.ref}
          disabled={button.isOff}
          aria-label={`${texts.copy}: ${label}`}
          onClick={() => line !== null && copy(line)}
        >
          {texts.copy}
        </button>
      </div>
      <p className={`message ${outcome?.copied ? 'message--success' : 'message--error'}`} role="status">
        {(outcome?.fresh || outcome?.copied === false) && (
          <span key={outcome.at}>{outcome.copied ? texts.copied : texts.notCopied}</span>
        )}
      </p>
    </>
  );
}

/**
 * Names the file after its token's expiry: of two files with one name, the browser would rename the newer, and a
 * program would open the older.
 * @param expiresAt - of the token, in epoch milliseconds
 */
function m3uFile(address: string, title: string, expiresAt: number) {
  const content = ['#EXTM3U', `#EXTINF:-1,${title}`, address, ''].join('\r\n');
  const href = `data:audio/x-mpegurl;charset=utf-8,${encodeURIComponent(content)}`;
  // Windows allows no colon in a name.
  const until = timeToTheSecond(expiresAt).replace(/[^\dA-Z]+/g, '-');
  return { name: `audio-oficial-hasta-${until}.m3u`, href };
}
