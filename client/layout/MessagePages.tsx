import type { ReactNode } from 'react';
import { LOGIN_PATH } from '../../shared/paths.ts';
import { texts } from '../texts.ts';
import { Brand } from './Brand.tsx';
import { ReloadButton } from './ReloadButton.tsx';

type MessagePageProps = {
  heading: string;
  explanation: string;
  role?: 'alert';
  children: ReactNode;
};

function MessagePage({ heading, explanation, role, children }: MessagePageProps) {
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

export function NotFoundPage() {
  return (
    <MessagePage heading={texts.notFound.heading} explanation={texts.notFound.explanation}>
      <a className="button button--primary" href={LOGIN_PATH}>
        {texts.notFound.back}
      </a>
    </MessagePage>
  );
}

export function CrashPage() {
  return (
    <MessagePage heading={texts.crash.heading} explanation={texts.crash.explanation} role="alert">
      <ReloadButton kind="primary" />
    </MessagePage>
  );
}
