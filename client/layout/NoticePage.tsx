import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Brand } from './Brand.tsx';
import './NoticePage.css';

type NoticePageProps = {
  heading: string;
  explanation: string;
  role?: 'alert';
  children: ReactNode;
};

export function NoticePage({ heading, explanation, role, children }: NoticePageProps) {
  return (
    <div className="page">
      <title>{`${heading} · ${texts.title}`}</title>
      <main className="card notice-card">
        <Brand />
        <div role={role}>
          <h1 className="notice-card__heading">{heading}</h1>
          <p>{explanation}</p>
        </div>
        {children}
      </main>
      <footer className="footer">{texts.copyright}</footer>
    </div>
  );
}
