type Source = Pick<HTMLMediaElement, 'duration' | 'seekable'>;

/**
 * Returns whether Chromium plays its cached copy of an earlier connection, in which it can seek. In a live stream it
 * cannot, even if `Content-Length` or an Info frame gives the stream an end.
 */
export function isCachedSound({ duration, seekable }: Source): boolean {
  return Number.isFinite(duration) && seekable.length > 0 && seekable.end(seekable.length - 1) > 0;
}
