import { LOGIN_PATH } from '../../shared/paths.ts';
import { texts } from '../texts.ts';
import { NoticePage } from './NoticePage.tsx';

export function NotFoundPage() {
  return (
    <NoticePage heading={texts.notFound.heading} explanation={texts.notFound.explanation}>
      <a className="button button--primary" href={LOGIN_PATH}>
        {texts.notFound.back}
      </a>
    </NoticePage>
  );
}
