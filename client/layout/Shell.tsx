import { LOGIN_PATH } from '../../shared/paths.ts';
import { texts } from '../texts.ts';
import { EntranceLayout } from './EntranceLayout.tsx';

/** The page while a screen loads. The build renders it into index.html (vite.config.ts). */
export function Shell() {
  return (
    <EntranceLayout busy>
      <div className="entrance__side shell">
        <span className="spinner" role="status" aria-label={texts.loading} />
        <p className="shell__slow">
          {texts.slow} <a href={LOGIN_PATH}>{texts.retry}</a>.
        </p>
        <noscript>
          <p className="message message--error">{texts.noScript}</p>
        </noscript>
      </div>
    </EntranceLayout>
  );
}
