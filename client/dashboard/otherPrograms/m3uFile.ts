export function m3uFile(address: string, title: string) {
  const content = ['#EXTM3U', `#EXTINF:-1,${title}`, address, ''].join('\r\n');
  const href = `data:audio/x-mpegurl;charset=utf-8,${encodeURIComponent(content)}`;
  return { name: 'audio-oficial.m3u', href };
}
