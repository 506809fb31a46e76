import { useEffect } from 'react';
import type { TokenState } from '../page/tokenState.ts';
import type { Urgency } from '../page/urgency.ts';
import { type TabView, tabIcon, tabTitle } from './tab.ts';

type BrowserTabProps = { token: TokenState; urgency: Urgency; view: TabView };

export function BrowserTab({ token, urgency, view }: BrowserTabProps) {
  const icon = tabIcon(urgency, view);

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
