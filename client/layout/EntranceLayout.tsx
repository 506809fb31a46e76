import type { ReactNode } from 'react';
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
