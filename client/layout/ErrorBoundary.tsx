import { Component, type ReactNode } from 'react';
import { texts } from '../texts.ts';
import { ReloadButton } from './ReloadButton.tsx';

type ErrorBoundaryProps = { children: ReactNode; fallback?: ReactNode };

/** After the first error it renders its children once more; after the second, `fallback` or a message. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean }> {
  override state = { failed: false };
  private isRedrawn = false;

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch() {
    if (!this.isRedrawn) this.setState({ failed: false });
    this.isRedrawn = true;
  }

  override render() {
    const { children, fallback } = this.props;
    if (!this.state.failed) return children;
    return (
      fallback ?? (
        <div className="broken" role="alert">
          <p className="message message--error">{texts.crash.heading}</p>
          <ReloadButton kind="secondary" />
        </div>
      )
    );
  }
}
