import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Page } from './page/createPage.ts';
import type { PageState } from './page/pageState.ts';

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('No PageContext');
  return page;
}

export function usePageState(): PageState {
  const { subscribe, state } = usePage();
  return useSyncExternalStore(subscribe, state);
}
