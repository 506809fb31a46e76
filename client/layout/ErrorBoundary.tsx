import { Component, type ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Brand } from './Brand.tsx';

/** Replaces a screen that throws or cannot be loaded by an explanation and a button that reloads the page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch() {
    document.title = `${texts.crash.heading} · ${texts.title}`;
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="page">
        <main className="card notice-card">
          <Brand size="small" />
          <div role="alert">
            <h1 className="notice-card__heading">{texts.crash.heading}</h1>
            <p>{texts.crash.explanation}</p>
          </div>
          <button className="button button--primary" type="button" onClick={() => window.location.reload()}>
            {texts.crash.reload}
          </button>
        </main>
      </div>
    );
  }
}
