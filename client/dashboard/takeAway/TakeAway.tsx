import { useId, useRef, useState } from 'react';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { commandFor, likelyShell, m3uFile, PROGRAMS, type Program, plsFile, SHELLS } from './takeAway.ts';
import { useCopy } from './useCopy.ts';
import './takeAway.css';

type TakeAwayProps = {
  /** The stream URL, null while there is none. */
  address: string | null;
  /** When the token expires, in epoch milliseconds. */
  expiresAt: number | null;
};

/** The stream URL as playlists and commands for other programs. */
export function TakeAway({ address, expiresAt }: TakeAwayProps) {
  return (
    <details className="takeaway">
      <summary className="takeaway__summary">{dashboardTexts.takeAway.heading}</summary>
      {address === null || expiresAt === null ? (
        <p className="takeaway__note">{dashboardTexts.needsToken}</p>
      ) : (
        <Forms address={address} until={timeOfDay(expiresAt)} />
      )}
    </details>
  );
}

function Forms({ address, until }: { address: string; until: string }) {
  const [shell, setShell] = useState(() => likelyShell(navigator.userAgent));
  const shellId = useId();
  const note = dashboardTexts.takeAway.connectableUntil(until);
  const title = dashboardTexts.takeAway.titleUntil(until);
  const playlists = [
    { label: dashboardTexts.takeAway.m3u, ...m3uFile(address, title) },
    { label: dashboardTexts.takeAway.pls, ...plsFile(address, title) },
  ];
  return (
    <div className="takeaway__forms">
      <p className="takeaway__note">{note}</p>
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
            <Command program={program} command={commandFor(program, shell, address)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Command({ program, command }: { program: Program; command: string | null }) {
  const { copy, outcome } = useCopy(command);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const copyOrSelect = async (text: string) => {
    if (!(await copy(text))) field.current?.focus();
  };
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
          className="button button--secondary takeaway__copy"
          type="button"
          disabled={command === null}
          aria-label={`${dashboardTexts.takeAway.copy}: ${dashboardTexts.takeAway.programs[program]}`}
          onClick={() => command !== null && copyOrSelect(command)}
        >
          {dashboardTexts.takeAway.copy}
        </button>
      </div>
      <p className={`message ${outcome?.copied ? 'message--success' : 'message--error'}`} role="status">
        {outcome && (
          <span key={outcome.number}>
            {outcome.copied ? dashboardTexts.takeAway.copied : dashboardTexts.takeAway.notCopied}
          </span>
        )}
      </p>
    </>
  );
}
