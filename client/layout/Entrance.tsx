import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Brand } from './Brand.tsx';

/** The pitch with the product's name on it, and room for what is asked or waited for. */
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
