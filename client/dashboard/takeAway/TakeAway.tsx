import { useId, useState } from 'react';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useCopy } from '../useCopy.ts';
import { commandFor, likelyShell, liquidsoapSource, m3uFile, PROGRAMS, SHELLS } from './takeAway.ts';
import '../disclosure.css';
import './TakeAway.css';

const texts = dashboardTexts.takeAway;

type TakeAwayProps = {
  url: string;
  expiresAt: number;
};

export function TakeAway({ url, expiresAt }: TakeAwayProps) {
  return (
    <details className="disclosure takeaway">
      <summary className="disclosure__summary">{texts.heading}</summary>
      <Forms url={url} until={timeOfDay(expiresAt)} />
    </details>
  );
}

function Forms({ url, until }: { url: string; until: string }) {
  const [shell, setShell] = useState(() => likelyShell(navigator.userAgent));
  const shellId = useId();
  const { name, href } = m3uFile(url, texts.titleUntil(until));
  return (
    <ul className="takeaway__forms">
      <li className="takeaway__form">
        <p className="takeaway__label">{texts.m3uUse}</p>
        <a className="button button--secondary takeaway__playlist" download={name} href={href}>
          {texts.m3u}
        </a>
      </li>
      <li className="takeaway__form">
        <p className="takeaway__label">{texts.obs}</p>
        <p className="takeaway__note">{texts.obsUse}</p>
      </li>
      <li className="takeaway__form">
        <CopyableLine key={url} label={texts.liquidsoap} line={() => liquidsoapSource(url)} />
      </li>
      <li className="takeaway__form">
        <label className="takeaway__label" htmlFor={shellId}>
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
        <li className="takeaway__form" key={program}>
          <CopyableLine
            key={url}
            label={texts.programs[program]}
            line={(now) => commandFor(program, shell, url, now)}
          />
        </li>
      ))}
      <li className="takeaway__note">{texts.ownAddress}</li>
    </ul>
  );
}

type CopyableLineProps = {
  label: string;
  line: (now: number) => string | null;
};

function CopyableLine({ label, line }: CopyableLineProps) {
  const [now, setNow] = useState(Date.now);
  const shown = line(now);
  const { copy, field, outcome } = useCopy(shown);
  const id = useId();

  function copyWithPresentTime(): void {
    const pressedAt = Date.now();
    const text = line(pressedAt);
    setNow(pressedAt);
    if (text !== null) copy(text);
  }

  return (
    <>
      <label className="takeaway__label" htmlFor={id}>
        {label}
      </label>
      <div className="takeaway__line">
        <input
          className="input takeaway__text"
          id={id}
          ref={field}
          readOnly
          spellCheck={false}
          value={shown ?? texts.noCommand}
          onFocus={(event) => event.target.select()}
        />
        <button
          className="button button--secondary"
          type="button"
          disabled={shown === null}
          aria-label={`${texts.copy}: ${label}`}
          onClick={copyWithPresentTime}
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
