/** What a broadcast tool takes: where players and recorders are started, and with which. */
export const SHELLS = ['bash', 'powershell', 'cmd'] as const;
export const PROGRAMS = ['ffmpeg', 'vlc', 'mpv'] as const;

export type Shell = (typeof SHELLS)[number];
export type Program = (typeof PROGRAMS)[number];

/** A file to open in a player; `href` holds its whole content. */
export type Playlist = { name: string; href: string };

const LINE_END = '\r\n';
/** VLC's installer puts it on no PATH. */
const VLC_ON_WINDOWS = String.raw`C:\Program Files\VideoLAN\VLC\vlc.exe`;

/** The stream's address as an extended M3U file. The address goes in untouched: it is signed. */
export function m3uFile(address: string, title: string): Playlist {
  const content = lines('#EXTM3U', `#EXTINF:-1,${title}`, address);
  return { name: 'audio-oficial.m3u', href: dataUrl('audio/x-mpegurl', content) };
}

/** The same as a PLS file, version 2. */
export function plsFile(address: string, title: string): Playlist {
  const content = lines(
    '[playlist]',
    `File1=${address}`,
    `Title1=${title}`,
    'Length1=-1',
    'NumberOfEntries=1',
    'Version=2',
  );
  return { name: 'audio-oficial.pls', href: dataUrl('audio/x-scpls', content) };
}

/**
 * The line that opens the stream: ffmpeg records it as it comes, VLC and mpv play it. `null` where the shell has no sure way
 * to hand the address over: Windows programs part their line at double quotes, each in its own way.
 */
export function commandFor(program: Program, shell: Shell, address: string): string | null {
  if (shell !== 'bash' && address.includes('"')) return null;
  const quoted = QUOTED[shell](address);
  if (program === 'ffmpeg') return `ffmpeg -i ${quoted} -c copy audio-oficial.mp3`;
  if (program === 'mpv') return `mpv ${quoted}`;
  if (shell === 'bash') return `vlc ${quoted}`;
  return shell === 'cmd' ? `"${VLC_ON_WINDOWS}" ${quoted}` : `& '${VLC_ON_WINDOWS}' ${quoted}`;
}

/** How each shell takes a text as it is. */
const QUOTED: Record<Shell, (text: string) => string> = {
  bash: (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`,
  // PowerShell takes typographic quotes for plain ones.
  powershell: (text) => `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`,
  // Variables are filled in inside quotes too, and only outside of them can the sign be escaped.
  cmd: (text) => `"${text.replaceAll('%', '"^%"')}"`,
};

/** Until when a connection can be opened, by this browser's clock: hours and minutes, never later than it is. */
export function connectableUntil(expiresAt: number, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('es', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });
  return format.format(expiresAt);
}

/** The shell that a partner most likely has, from the browser's `navigator.userAgent`. */
export function likelyShell(userAgent: string): Shell {
  return userAgent.includes('Windows') ? 'cmd' : 'bash';
}

function lines(...texts: string[]): string {
  return texts.map((text) => text + LINE_END).join('');
}

function dataUrl(type: string, content: string): string {
  return `data:${type};charset=utf-8,${encodeURIComponent(content)}`;
}
