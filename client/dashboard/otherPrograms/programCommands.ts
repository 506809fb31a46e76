export const SHELLS = ['linux', 'macos', 'powershell', 'cmd'] as const;
export const PROGRAMS = ['vlc', 'ffmpeg'] as const;

export type Shell = (typeof SHELLS)[number];
export type Program = (typeof PROGRAMS)[number];

/** VLC's installers for Windows and macOS do not add it to the PATH. */
const VLC_ON_WINDOWS = String.raw`C:\Program Files\VideoLAN\VLC\vlc.exe`;
const START_VLC: Record<Shell, string> = {
  linux: 'vlc',
  macos: '/Applications/VLC.app/Contents/MacOS/VLC',
  powershell: `& '${VLC_ON_WINDOWS}'`,
  cmd: `"${VLC_ON_WINDOWS}"`,
};

/** ffmpeg writes the time into the name, since each shell would do it in another way. A file holds a day at most. */
const SEGMENT_OPTIONS = '-f segment -segment_time 86400 -strftime 1';
const RECORDING_NAME = 'audio-oficial-%Y%m%d-%H%M%S.mp3';

export function liquidsoapSource(address: string): string {
  const quoted = address.replace(/["\\]/g, String.raw`\$&`);
  // In a Liquidsoap string `#{` starts an expression and cannot be escaped.
  return `oficial = input.http("${quoted.replaceAll('#{', '#" ^ "{')}")`;
}

/**
 * VLC plays the stream; ffmpeg records it, in each run to a new file. Returns null for an address with a double quote
 * on Windows, where each program parses quotes in its own way.
 */
export function commandFor(program: Program, shell: Shell, address: string): string | null {
  if (isWindows(shell) && address.includes('"')) return null;
  const quoted = QUOTED[shell];
  if (program === 'ffmpeg') {
    return `ffmpeg -nostdin -i ${quoted(address)} -c copy ${SEGMENT_OPTIONS} ${quoted(RECORDING_NAME)}`;
  }
  return `${START_VLC[shell]} ${quoted(address)}`;
}

function isWindows(shell: Shell): boolean {
  return shell === 'powershell' || shell === 'cmd';
}

function quotedInUnixShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const QUOTED: Record<Shell, (text: string) => string> = {
  linux: quotedInUnixShell,
  macos: quotedInUnixShell,
  // PowerShell treats typographic quotes like plain ones.
  powershell: (text) => `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`,
  // cmd expands variables inside quotes too, and a percent sign can be escaped only outside of them.
  cmd: (text) => `"${text.replaceAll('%', '"^%"')}"`,
};

/** Windows 11 opens PowerShell. */
export function likelyShell(userAgent: string): Shell {
  if (userAgent.includes('Windows')) return 'powershell';
  return userAgent.includes('Macintosh') ? 'macos' : 'linux';
}
