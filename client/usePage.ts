import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Page } from './page/createPage.ts';
import type { Shown } from './page/shown.ts';

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('No PageContext');
  return page;
}

/** @param select - returns a part of what is shown, not a new object: a change of this part alone renders anew */
export function useShown<Part>(select: (shown: Shown) => Part): Part {
  const { subscribe, shown } = usePage();
  return useSyncExternalStore(subscribe, () => select(shown()));
}
