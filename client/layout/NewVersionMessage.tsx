import { useReactiveVar } from '@apollo/client/react';
import { pageOutdated } from '../api/apolloClient.ts';
import { texts } from '../texts.ts';
import { ReloadButton } from './ReloadButton.tsx';
import './NewVersionMessage.css';

export function NewVersionMessage() {
  const outdated = useReactiveVar(pageOutdated);
  if (!outdated) return null;
  return (
    <div className="new-version" role="alert">
      <p>{texts.newVersion}</p>
      <ReloadButton kind="secondary" />
    </div>
  );
}
