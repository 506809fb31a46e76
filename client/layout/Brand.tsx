import logo from '../logo.svg';
import { texts } from '../texts.ts';

/** The logo beside the product's title, which heads the page when large. */
export function Brand({ size }: { size: 'small' | 'large' }) {
  const Title = size === 'large' ? 'h1' : 'p';
  const pixels = size === 'large' ? 120 : 36;
  return (
    <div className={`brand brand--${size}`}>
      <span className="brand__mark">
        <img className="brand__logo" src={logo} alt="" width={pixels} height={pixels} />
      </span>
      <Title className="brand__title">{texts.title}</Title>
    </div>
  );
}
