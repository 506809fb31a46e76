import { useEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { tabIcon, tabTitle } from './tab.ts';
import type { TokenState } from './token/tokenState.ts';

/** Keeps the tab's title and icon true while the dashboard is open. */
export function useTab(state: TokenState, playing: boolean): void {
  const title = tabTitle(state, playing);
  const icon = tabIcon(state, playing);
  const ownIcon = useRef<string | undefined>(undefined);

  useEffect(() => {
    document.title = title;
  }, [title]);

  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!link) return;
    ownIcon.current ??= link.href;
    link.href = icon ?? ownIcon.current;
  }, [icon]);

  useEffect(
    () => () => {
      document.title = texts.title;
      const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
      if (link && ownIcon.current !== undefined) link.href = ownIcon.current;
    },
    [],
  );
}
