export const SHELLS = ['bash', 'powershell', 'cmd'] as const;
export const PROGRAMS = ['vlc', 'ffmpeg'] as const;

export type Shell = (typeof SHELLS)[number];
export type Program = (typeof PROGRAMS)[number];

/** VLC's installer does not add it to the PATH. */
const VLC_ON_WINDOWS = String.raw`C:\Program Files\VideoLAN\VLC\vlc.exe`;

export function m3uFile(address: string, title: string) {
  const content = ['#EXTM3U', `#EXTINF:-1,${title}`, address, ''].join('\r\n');
  const href = `data:audio/x-mpegurl;charset=utf-8,${encodeURIComponent(content)}`;
  return { name: 'audio-oficial.m3u', href };
}

export function liquidsoapSource(address: string): string {
  const quoted = address.replace(/["\\]/g, String.raw`\$&`);
  // In a Liquidsoap string `#{` starts an expression and cannot be escaped.
  return `oficial = input.http("${quoted.replaceAll('#{', '#" ^ "{')}")`;
}

/**
 * Returns the command that opens the stream: VLC plays it, ffmpeg records it. The recording is named after `now`, in epoch
 * milliseconds; ffmpeg neither asks nor overwrites a file. Returns null for an address with a double quote on Windows, where each
 * program parses quotes in its own way.
 */
export function commandFor(program: Program, shell: Shell, address: string, now: number): string | null {
  if (shell !== 'bash' && address.includes('"')) return null;
  const quoted = QUOTED[shell](address);
  if (program === 'ffmpeg') return `ffmpeg -nostdin -n -i ${quoted} -c copy ${recordingName(now)}`;
  if (shell === 'bash') return `vlc ${quoted}`;
  return shell === 'cmd' ? `"${VLC_ON_WINDOWS}" ${quoted}` : `& '${VLC_ON_WINDOWS}' ${quoted}`;
}

const QUOTED: Record<Shell, (text: string) => string> = {
  bash: (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`,
  // PowerShell treats typographic quotes like plain ones.
  powershell: (text) => `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`,
  // cmd expands variables inside quotes too, and a percent sign can be escaped only outside of them.
  cmd: (text) => `"${text.replaceAll('%', '"^%"')}"`,
};

function recordingName(now: number): string {
  const at = new Date(now);
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()];
  return `audio-oficial-${digits(day)}-${digits(time)}.mp3`;
}

function digits(parts: number[]): string {
  return parts.map((part) => String(part).padStart(2, '0')).join('');
}

export function likelyShell(userAgent: string): Shell {
  return userAgent.includes('Windows') ? 'cmd' : 'bash';
}
