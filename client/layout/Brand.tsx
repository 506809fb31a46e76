import logo from '../logo.svg';
import { texts } from '../texts.ts';

/** The logo beside the product's title; or large, drawn on a pitch over the title, which then heads the page. */
export function Brand({ size }: { size: 'small' | 'large' }) {
  if (size === 'small') {
    return (
      <div className="brand">
        <img className="brand__logo" src={logo} alt="" width={36} height={36} />
        <p className="brand__title">{texts.title}</p>
      </div>
    );
  }
  return (
    <div className="brand brand--large">
      <div className="pitch__centre">
        <svg className="brand__mark" viewBox="27 26 42 44" aria-hidden="true">
          <path d="M30 44v8M39 37v22M48 29v38M57 37v22M66 44v8" />
        </svg>
      </div>
      <h1 className="brand__title">{texts.title}</h1>
    </div>
  );
}
