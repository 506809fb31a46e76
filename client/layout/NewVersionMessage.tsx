import { texts } from '../texts.ts';
import { useShown } from '../usePage.ts';
import { ReloadButton } from './ReloadButton.tsx';

export function NewVersionMessage() {
  const isOutdated = useShown((shown) => shown.isOutdated);
  if (!isOutdated) return null;
  return (
    <div className="new-version" role="alert">
      <p>{texts.newVersion}</p>
      <ReloadButton kind="secondary" />
    </div>
  );
}
