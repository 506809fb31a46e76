import { texts } from '../texts.ts';
import logo from './logo.svg';

export function Brand() {
  return (
    <div className="brand">
      <img src={logo} width={36} height={36} alt="" />
      <p className="brand__title">{texts.title}</p>
    </div>
  );
}
