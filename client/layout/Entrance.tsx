import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Brand } from './Brand.tsx';

/** The product's name on its pitch, beside the login form or the loading spinner. */
export function Entrance({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className="page entrance">
      <main className="card entrance__card" aria-busy={busy}>
        <div className="pitch">
          <Brand size="large" />
        </div>
        {children}
      </main>
      <footer className="footer">{texts.copyright}</footer>
    </div>
  );
}
