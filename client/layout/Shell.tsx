import logo from '../logo.svg';
import { texts } from '../texts.ts';

/** What stands on the page while a screen loads; the same as index.html starts with. */
export function Shell() {
  return (
    <div className="shell">
      <img src={logo} alt="" width="88" height="88" />
      <p className="shell__title">{texts.title}</p>
      <span className="spinner" role="status" aria-label={texts.loading} />
    </div>
  );
}
