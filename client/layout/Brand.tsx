import { texts } from '../texts.ts';

const MARK = 'M30 44v8M39 37v22M48 29v38M57 37v22M66 44v8';

/** Logo and title: small, side by side; large, the logo above the title, which is then the page's heading. */
export function Brand({ size }: { size: 'small' | 'large' }) {
  if (size === 'small') {
    return (
      <div className="brand">
        <svg className="brand__logo" viewBox="0 0 96 96" width={36} height={36} aria-hidden="true">
          <rect width="96" height="96" rx="22" />
          <path className="brand__circle" d="M0 48h17a31 31 0 0 1 62 0a31 31 0 0 1-62 0M79 48h17" />
          <path d={MARK} />
        </svg>
        <p className="brand__title">{texts.title}</p>
      </div>
    );
  }
  return (
    <div className="brand brand--large">
      <div className="pitch__centre">
        <svg className="brand__mark" viewBox="27 26 42 44" aria-hidden="true">
          <path d={MARK} />
        </svg>
      </div>
      <h1 className="brand__title">{texts.title}</h1>
    </div>
  );
}
