import { type RefObject, useEffect, useState } from 'react';
import { dashboardTexts } from './dashboardTexts.ts';

type CompanyHeadingProps = { company: string; ref: RefObject<HTMLHeadingElement | null> };

/** A third line adds half to the height of two; the letters of one line reach a little beyond it in some fonts. */
const CUT_FROM = 1.4;

export function CompanyHeading({ company, ref }: CompanyHeadingProps) {
  const [isWhole, setWhole] = useState(false);
  const isCut = useIsCut(ref, company);
  return (
    <div className="company">
      <h1
        className={`company__name ${isWhole ? '' : 'company__name--short'}`}
        ref={ref}
        tabIndex={-1}
        dir="auto"
      >
        {company}
      </h1>
      {(isCut || isWhole) && (
        <button
          className="icon-button company__more"
          type="button"
          aria-label={dashboardTexts.wholeName}
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          <svg className="line-icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
            <path d={isWhole ? 'M5 15l7-7 7 7' : 'M5 9l7 7 7-7'} />
          </svg>
        </button>
      )}
    </div>
  );
}

function useIsCut(ref: RefObject<HTMLElement | null>, text: string): boolean {
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || text === '') return;
    const observer = new ResizeObserver(() => setCut(element.scrollHeight > CUT_FROM * element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, text]);
  return isCut;
}
