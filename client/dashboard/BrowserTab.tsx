import { useEffect } from 'react';
import type { Sound } from './player/playerView.ts';
import { tabIcon, tabTitle } from './tab.ts';
import type { Urgency } from './token/urgency.ts';
import { useTokenState } from './token/useToken.ts';

export function BrowserTab({ urgency, sound }: { urgency: Urgency; sound: Sound }) {
  const token = useTokenState();
  const icon = tabIcon(urgency, sound);

  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!link || icon === null) return;
    const ownIcon = link.href;
    link.href = icon;
    return () => {
      link.href = ownIcon;
    };
  }, [icon]);

  return <title>{tabTitle(token, sound)}</title>;
}
