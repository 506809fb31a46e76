import { texts } from '../texts.ts';

export function ReloadButton({ kind }: { kind: 'primary' | 'secondary' }) {
  return (
    <button className={`button button--${kind}`} type="button" onClick={() => window.location.reload()}>
      {texts.reload}
    </button>
  );
}
