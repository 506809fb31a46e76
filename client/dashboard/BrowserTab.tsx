import { useEffect } from 'react';
import { tabIcon, tabTitle } from './tab.ts';
import { useTokenState } from './token/useToken.ts';

/** The browser tab's title and icon while the dashboard is open. */
export function BrowserTab({ playing }: { playing: boolean }) {
  const token = useTokenState();
  const icon = tabIcon(token, playing);

  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!link || icon === null) return;
    const ownIcon = link.href;
    link.href = icon;
    return () => {
      link.href = ownIcon;
    };
  }, [icon]);

  return <title>{tabTitle(token, playing)}</title>;
}
