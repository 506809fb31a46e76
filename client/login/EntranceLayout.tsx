import type { ReactNode } from 'react';
import { LOGIN_PATH } from '../../shared/paths.ts';
import { texts } from '../texts.ts';

export function EntranceLayout({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className="page entrance">
      <main className="card entrance__card" aria-busy={busy}>
        <div className="pitch">
          <div className="pitch__centre">
            <svg className="entrance__mark" viewBox="27 26 42 44" aria-hidden="true">
              <path d="M30 44v8M39 37v22M48 29v38M57 37v22M66 44v8" />
            </svg>
          </div>
          <h1 className="entrance__title">{texts.title}</h1>
        </div>
        {children}
      </main>
      <footer className="footer">{texts.copyright}</footer>
    </div>
  );
}

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
