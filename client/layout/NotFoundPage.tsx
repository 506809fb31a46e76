import { LOGIN_PATH } from '../../shared/paths.ts';
import { texts } from '../texts.ts';
import { MessagePage } from './MessagePage.tsx';

export function NotFoundPage() {
  return (
    <MessagePage heading={texts.notFound.heading} explanation={texts.notFound.explanation}>
      <a className="button button--primary" href={LOGIN_PATH}>
        {texts.notFound.back}
      </a>
    </MessagePage>
  );
}
