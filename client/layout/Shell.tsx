import { LOGIN_PATH } from '../guard.ts';
import logo from '../logo.svg';
import { texts } from '../texts.ts';

/** What stands on the page while a screen loads; the same as index.html starts with. */
export function Shell() {
  return (
    <main className="shell">
      <img src={logo} alt="" width="88" height="88" />
      <h1 className="shell__title">{texts.title}</h1>
      <span className="spinner" role="status" aria-label={texts.loading} />
      <p className="shell__slow">
        {texts.slow} <a href={LOGIN_PATH}>{texts.retry}</a>.
      </p>
    </main>
  );
}
