import { useEffect } from 'react';
import type { TokenState } from '../page/tokenState.ts';
import { type TabView, tabIcon, tabTitle } from './tab.ts';

type BrowserTabProps = { token: TokenState; view: TabView };

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

  return <title>{tabTitle(token, view)}</title>;
}
