import type { PAGE_META } from '../shared/pageMeta.ts';

type MetaName = (typeof PAGE_META)[keyof typeof PAGE_META];

/** Returns what the server wrote into the page under this name, null for nothing. */
export function pageMeta(name: MetaName): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? null;
}
