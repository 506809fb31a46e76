import { useEffect, useRef } from 'react';
import './Waves.css';

const MEASURE_EVERY_MS = 100;
const FLOOR_DB = -48;

export function Waves({ peak }: { peak: () => number | null }) {
  const rings = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    const timer = setInterval(() => {
      const measured = peak();
      rings.current?.classList.toggle('waves--measured', measured !== null);
      rings.current?.style.setProperty('--level', levelOf(measured ?? 0).toFixed(2));
    }, MEASURE_EVERY_MS);
    return () => clearInterval(timer);
  }, [peak]);

  return (
    <span className="waves" ref={rings} aria-hidden="true">
      <span className="pitch__wave" />
      <span className="pitch__wave pitch__wave--later" />
    </span>
  );
}

/** Converts a peak to a level from 0 to 1 on a logarithmic scale, as loudness is heard. */
export function levelOf(peak: number): number {
  return Math.min(1, Math.max(0, 1 - (20 * Math.log10(peak)) / FLOOR_DB));
}
