import { describe, expect, test } from 'vitest';
import {
  commandFor,
  likelyShell,
  liquidsoapSource,
} from '../../../../client/dashboard/otherPrograms/programCommands.ts';

const ADDRESS = 'https://audio.example/mp3/icecast.audio?a=1&wmsAuthSign=c2Vy+dmVy/X3Q==';
const NEW_FILE = '-f segment -segment_time 86400 -strftime 1';
const NAME = 'audio-oficial-%Y%m%d-%H%M%S.mp3';
const VLC = String.raw`C:\Program Files\VideoLAN\VLC\vlc.exe`;

describe('commands', () => {
  test.each([
    ['ffmpeg', 'linux', `ffmpeg -nostdin -i '${ADDRESS}' -c copy ${NEW_FILE} '${NAME}'`],
    ['vlc', 'linux', `vlc '${ADDRESS}'`],
    ['vlc', 'macos', `/Applications/VLC.app/Contents/MacOS/VLC '${ADDRESS}'`],
    ['vlc', 'powershell', `& 'C:\\Program Files\\VideoLAN\\VLC\\vlc.exe' '${ADDRESS}'`],
    ['ffmpeg', 'powershell', `ffmpeg -nostdin -i '${ADDRESS}' -c copy ${NEW_FILE} '${NAME}'`],
    [
      'ffmpeg',
      'cmd',
      `ffmpeg -nostdin -i "${ADDRESS}" -c copy ${NEW_FILE} "${NAME.replaceAll('%', '"^%"')}"`,
    ],
    ['vlc', 'cmd', `"C:\\Program Files\\VideoLAN\\VLC\\vlc.exe" "${ADDRESS}"`],
  ] as const)('start %s with the address in %s', (program, shell, command) => {
    expect(commandFor(program, shell, ADDRESS)).toBe(command);
  });

  test.each([
    ['linux', "a'b$c%d!", String.raw`vlc 'a'\''b$c%d!'`],
    ['macos', "a'b$c%d!", String.raw`/Applications/VLC.app/Contents/MacOS/VLC 'a'\''b$c%d!'`],
    ['powershell', "a'b’c$d%e", `& '${VLC}' 'a''b’’c$d%e'`],
    ['cmd', "a%20b'c^d&e", `"${VLC}" "a"^%"20b'c^d&e"`],
  ] as const)('for %s escape the characters that are special in that shell', (shell, address, command) => {
    expect(commandFor('vlc', shell, address)).toBe(command);
  });

  test('are not offered where a double quote would break them', () => {
    expect(commandFor('vlc', 'powershell', 'a"b')).toBeNull();
    expect(commandFor('vlc', 'cmd', 'a"b')).toBeNull();
    expect(commandFor('vlc', 'linux', 'a"b')).toBe(`vlc 'a"b'`);
  });
});

test.each([
  [ADDRESS, `oficial = input.http("${ADDRESS}")`],
  ['a"b\\c', String.raw`oficial = input.http("a\"b\\c")`],
  ['a#{b}', 'oficial = input.http("a#" ^ "{b}")'],
])('the Liquidsoap source of %s quotes it', (address, line) => {
  expect(liquidsoapSource(address)).toBe(line);
});

test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/156.0.0.0', 'powershell'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0', 'linux'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15', 'macos'],
])('the user agent %s suggests the shell %s', (userAgent, shell) => {
  expect(likelyShell(userAgent)).toBe(shell);
});
