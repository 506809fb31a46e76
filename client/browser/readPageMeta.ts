import type { PAGE_META } from '../../shared/pageMeta.ts';

type MetaName = (typeof PAGE_META)[keyof typeof PAGE_META];

export function readPageMeta(name: MetaName): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? null;
}
