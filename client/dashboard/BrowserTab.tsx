import { useEffect } from 'react';
import type { StoredToken } from '../page/records.ts';
import { type TabView, tabIcon, tabTitle } from './tab.ts';
import { useTokenState } from './useTokenState.ts';

type BrowserTabProps = { token: StoredToken | null; view: TabView };

export function BrowserTab({ token, view }: BrowserTabProps) {
  const icon = tabIcon(view);

  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!link || icon === null) return;
    const ownIcon = link.href;
    link.href = icon;
    return () => {
      link.href = ownIcon;
    };
  }, [icon]);

  return <title>{tabTitle(useTokenState(token), view)}</title>;
}
