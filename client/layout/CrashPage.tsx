import { texts } from '../texts.ts';
import { MessagePage } from './MessagePage.tsx';
import { ReloadButton } from './ReloadButton.tsx';

export function CrashPage() {
  return (
    <MessagePage heading={texts.crash.heading} explanation={texts.crash.explanation} role="alert">
      <ReloadButton kind="primary" />
    </MessagePage>
  );
}
