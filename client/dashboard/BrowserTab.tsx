import { useEffect } from 'react';
import type { TokenState } from './machine/tokenState.ts';
import type { Urgency } from './machine/urgency.ts';
import type { Audibility } from './player/playerView.ts';
import { tabIcon, tabTitle } from './tab.ts';

type BrowserTabProps = { token: TokenState; urgency: Urgency; audibility: Audibility };

export function BrowserTab({ token, urgency, audibility }: BrowserTabProps) {
  const icon = tabIcon(urgency, audibility);

  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!link || icon === null) return;
    const ownIcon = link.href;
    link.href = icon;
    return () => {
      link.href = ownIcon;
    };
  }, [icon]);

  return <title>{tabTitle(token, audibility)}</title>;
}
