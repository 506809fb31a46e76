import { useId, useState } from 'react';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import {
  commandFor,
  likelyShell,
  m3uFile,
  PROGRAMS,
  type Program,
  plsFile,
  SHELLS,
  type Shell,
} from './takeAway.ts';
import { useCopy } from './useCopy.ts';
import './takeAway.css';

type TakeAwayProps = {
  /** The stream URL, null while there is none. */
  url: string | null;
  /** When the token expires, in epoch milliseconds. */
  expiresAt: number | null;
};

/** The stream URL as playlists and commands for other programs. */
export function TakeAway({ url, expiresAt }: TakeAwayProps) {
  return (
    <details className="disclosure takeaway">
      <summary className="disclosure__summary">{dashboardTexts.takeAway.heading}</summary>
      {url === null || expiresAt === null ? (
        <p className="takeaway__note">{dashboardTexts.takeAway.none}</p>
      ) : (
        <Forms url={url} until={timeOfDay(expiresAt)} />
      )}
    </details>
  );
}

function Forms({ url, until }: { url: string; until: string }) {
  const [shell, setShell] = useState(() => likelyShell(navigator.userAgent));
  const shellId = useId();
  const title = dashboardTexts.takeAway.titleUntil(until);
  const playlists = [
    { label: dashboardTexts.takeAway.m3u, ...m3uFile(url, title) },
    { label: dashboardTexts.takeAway.pls, ...plsFile(url, title) },
  ];
  return (
    <div className="takeaway__forms">
      <p className="takeaway__note">
        {dashboardTexts.takeAway.connectableUntil(until)} {dashboardTexts.takeAway.paste}
      </p>
      <ul className="takeaway__playlists">
        {playlists.map(({ label, name, href }) => (
          <li key={name}>
            <a className="button button--secondary takeaway__playlist" download={name} href={href}>
              {label}
            </a>
          </li>
        ))}
      </ul>
      <label className="takeaway__label" htmlFor={shellId}>
        {dashboardTexts.takeAway.shell}
      </label>
      <select
        className="input"
        id={shellId}
        value={shell}
        onChange={(event) => setShell(SHELLS.find((one) => one === event.target.value) ?? shell)}
      >
        {SHELLS.map((one) => (
          <option key={one} value={one}>
            {dashboardTexts.takeAway.shells[one]}
          </option>
        ))}
      </select>
      <ul className="takeaway__commands">
        {PROGRAMS.map((program) => (
          <li key={program}>
            <Command key={url} program={program} shell={shell} url={url} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Command({ program, shell, url }: { program: Program; shell: Shell; url: string }) {
  const [now, setNow] = useState(Date.now);
  const command = commandFor(program, shell, url, now);
  const { copy, field, outcome } = useCopy(command);
  const id = useId();

  function copyWithPresentTime(): void {
    const pressedAt = Date.now();
    const text = commandFor(program, shell, url, pressedAt);
    setNow(pressedAt);
    if (text !== null) copy(text);
  }

  return (
    <>
      <label className="takeaway__label" htmlFor={id}>
        {dashboardTexts.takeAway.programs[program]}
      </label>
      <div className="takeaway__command">
        <input
          className="input takeaway__text"
          id={id}
          ref={field}
          readOnly
          spellCheck={false}
          value={command ?? dashboardTexts.takeAway.noCommand}
          onFocus={(event) => event.target.select()}
        />
        <button
          className="button button--secondary"
          type="button"
          disabled={command === null}
          aria-label={`${dashboardTexts.takeAway.copy}: ${dashboardTexts.takeAway.programs[program]}`}
          onClick={copyWithPresentTime}
        >
          {dashboardTexts.takeAway.copy}
        </button>
      </div>
      <p className={`message ${outcome?.copied ? 'message--success' : 'message--error'}`} role="status">
        {(outcome?.fresh || outcome?.copied === false) && (
          <span key={outcome.at}>
            {outcome.copied ? dashboardTexts.takeAway.copied : dashboardTexts.takeAway.notCopied}
          </span>
        )}
      </p>
    </>
  );
}
