import { Component, type ReactNode } from 'react';
import { texts } from '../texts.ts';
import { NoticePage } from './NoticePage.tsx';
import { ReloadButton } from './ReloadButton.tsx';

export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <NoticePage heading={texts.crash.heading} explanation={texts.crash.explanation} role="alert">
        <ReloadButton kind="primary" />
      </NoticePage>
    );
  }
}
