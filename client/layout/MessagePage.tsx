import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Brand } from './Brand.tsx';
import './MessagePage.css';

type MessagePageProps = {
  heading: string;
  explanation: string;
  role?: 'alert';
  children: ReactNode;
};

export function MessagePage({ heading, explanation, role, children }: MessagePageProps) {
  return (
    <div className="page">
      <title>{`${heading} · ${texts.title}`}</title>
      <main className="card message-card">
        <Brand />
        <div role={role}>
          <h1 className="message-card__heading">{heading}</h1>
          <p>{explanation}</p>
        </div>
        {children}
      </main>
      <footer className="footer">{texts.copyright}</footer>
    </div>
  );
}
