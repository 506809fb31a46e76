type Source = Pick<HTMLMediaElement, 'duration' | 'seekable'>;

/**
 * Returns whether Chromium plays what it kept of an earlier connection: it offers to seek in that, to its end. In a live
 * stream it offers nothing, even in one that seems to have an end by `Content-Length` or an Info frame.
 */
export function isCachedSound({ duration, seekable }: Source): boolean {
  return Number.isFinite(duration) && seekable.length > 0 && seekable.end(seekable.length - 1) > 0;
}
