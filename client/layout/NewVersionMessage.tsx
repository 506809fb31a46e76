import { texts } from '../texts.ts';
import { usePageState } from '../usePage.ts';
import { ReloadButton } from './ReloadButton.tsx';
import './NewVersionMessage.css';

export function NewVersionMessage() {
  const { isOutdated } = usePageState();
  if (!isOutdated) return null;
  return (
    <div className="new-version" role="alert">
      <p>{texts.newVersion}</p>
      <ReloadButton kind="secondary" />
    </div>
  );
}
