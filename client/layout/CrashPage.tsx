import { texts } from '../texts.ts';
import { NoticePage } from './NoticePage.tsx';
import { ReloadButton } from './ReloadButton.tsx';

export function CrashPage() {
  return (
    <NoticePage heading={texts.crash.heading} explanation={texts.crash.explanation} role="alert">
      <ReloadButton kind="primary" />
    </NoticePage>
  );
}
