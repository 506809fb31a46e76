import { useEffect } from 'react';
import { LOGIN_PATH } from '../../shared/paths.ts';
import { texts } from '../texts.ts';
import { Brand } from './Brand.tsx';

export function NotFoundPage() {
  useEffect(() => {
    document.title = `${texts.notFound.heading} · ${texts.title}`;
  }, []);

  return (
    <div className="page">
      <main className="card notice-card">
        <Brand size="small" />
        <div>
          <h1 className="notice-card__heading">{texts.notFound.heading}</h1>
          <p>{texts.notFound.explanation}</p>
        </div>
        <a className="button button--primary" href={LOGIN_PATH}>
          {texts.notFound.back}
        </a>
      </main>
      <footer className="footer">{texts.copyright}</footer>
    </div>
  );
}
