#!/usr/bin/env bash
# Makes senal-de-demostracion.mp3 anew: music and a spoken Spanish ident, nothing of it taken from elsewhere.
# Needs sox, espeak-ng and an ffmpeg with libmp3lame (Debian: apt-get install sox espeak-ng ffmpeg).
#
# The demo plays the file in an endless loop, frame by frame, and lets listeners in at any frame. Hence:
#   48 kHz, constant bit rate   every frame has the same size (288 bytes) and lasts exactly 24 ms
#   36 s                        a whole number of frames (1500)
#   no bit reservoir            no frame needs bytes of the frames before it
#   no Xing or ID3 frame        nothing that is not sound
#   encoded three times over    the middle one is kept, so that its end leads into its own beginning
set -euo pipefail
cd "$(dirname "$0")"

OUTPUT=senal-de-demostracion.mp3
RATE_HZ=48000
BIT_RATE_KBIT=96
FRAME_BYTES=288
LOOP_S=36
LOOP_FRAMES=1500
BAR_S=3
LOUDNESS_BEFORE_LIMITER_LUFS=-17

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Without dither and with a fixed seed, the same tools make the same sound.
sox() {
  command sox -R -D "$@"
}

# A bar: bass and chord swell, eight plucked notes ring on into the next bar.
bar() { # offset in seconds, bass, then the chord's four notes from low to high
  local offset=$1 bass=$2 a=$3 b=$4 c=$5 d=$6 file
  file=$work/bar-$(printf %02d "$offset")
  sox -n -r $RATE_HZ -c 1 "$file-pluck.wav" synth 2.4 \
    pluck "$a" pluck "$b" pluck "$c" pluck "$d" pluck "$c" pluck "$b" pluck "$c" pluck "$b" \
    delay 0 .375 .75 1.125 1.5 1.875 2.25 2.625 remix - lowpass 3500 gain -6
  sox -n -r $RATE_HZ -c 1 "$file-pad.wav" synth 3.6 \
    triangle "$a" triangle "$b" triangle "$c" sine "$d" remix - lowpass 900 fade h 0.9 3.6 1.2 gain -22
  sox -n -r $RATE_HZ -c 1 "$file-bass.wav" synth 2.8 triangle "$bass" lowpass 400 fade h 0.03 2.8 1.2 gain -15
  sox -m -v 1 "$file-pluck.wav" -v 1 "$file-pad.wav" -v 1 "$file-bass.wav" "$file.wav" pad "$offset"
  rm "$file"-*.wav
}

at=0
while read -r bass a b c d; do
  bar "$at" "$bass" "$a" "$b" "$c" "$d"
  at=$((at + BAR_S))
done <<'CHORDS'
C3 C4 E4 G4 C5
A2 A3 C4 E4 A4
F2 A3 C4 F4 A4
G2 B3 D4 G4 B4
C3 C4 E4 G4 C5
E2 B3 E4 G4 B4
F2 A3 C4 F4 A4
G2 B3 D4 G4 B4
A2 C4 E4 A4 C5
F2 A3 C4 F4 A4
D3 A3 D4 F4 A4
G2 B3 D4 G4 D5
CHORDS
one_each=$(printf -- '-v 1 %s ' "$work"/bar-*.wav)
# shellcheck disable=SC2086
sox -m $one_each "$work/music.wav"

voice() { # offset in seconds, text
  espeak-ng -v es -s 150 -p 42 -w "$work/spoken.wav" "$2"
  sox "$work/spoken.wav" -r $RATE_HZ "$work/voice-$1.wav" silence 1 0.01 0.1% highpass 90 equalizer 3000 1q 3 norm -3 pad "$1"
}
voice 1.5 'Audio Oficial Premium. Señal de demostración.'
voice 19.5 'Está escuchando una emisión de prueba. El audio funciona correctamente.'
sox -m -v 1 "$work"/voice-1.5.wav -v 1 "$work"/voice-19.5.wav "$work/voice.wav"

for part in music voice; do
  sox "$work/$part.wav" "$work/$part-2.wav" pad $LOOP_S
  sox "$work/$part.wav" "$work/$part-3.wav" pad $((2 * LOOP_S))
  sox -m -v 1 "$work/$part.wav" -v 1 "$work/$part-2.wav" -v 1 "$work/$part-3.wav" \
    "$work/$part-thrice.wav"
done

# The music steps back while the voice speaks.
ffmpeg -v error -i "$work/music-thrice.wav" -i "$work/voice-thrice.wav" -filter_complex "
  [1]acompressor=threshold=0.05:ratio=6:attack=2:release=100:makeup=4,alimiter=limit=0.5:level=false,asplit[spoken][key];
  [0][key]sidechaincompress=threshold=0.04:ratio=4:attack=60:release=700[bed];
  [bed][spoken]amix=inputs=2:normalize=0:weights=0.62 1,aecho=0.9:0.5:60|130:0.12|0.08[mix]" \
  -map '[mix]' -c:a pcm_f32le "$work/mix.wav"

measured_lufs=$(ffmpeg -hide_banner -nostats -i "$work/mix.wav" -af ebur128 -f null - 2>&1 | awk '/^ *I:/ { lufs = $2 } END { print lufs }')
gain_db=$(awk "BEGIN { print $LOUDNESS_BEFORE_LIMITER_LUFS - ($measured_lufs) }")
ffmpeg -v error -i "$work/mix.wav" -af "volume=${gain_db}dB,alimiter=limit=0.7:level=false" -ac 1 -ar $RATE_HZ \
  -c:a libmp3lame -b:a ${BIT_RATE_KBIT}k -reservoir 0 -write_xing 0 -id3v2_version 0 -map_metadata -1 -fflags +bitexact \
  "$work/thrice.mp3"

loop_bytes=$((LOOP_FRAMES * FRAME_BYTES))
tail -c +$((loop_bytes + 1)) "$work/thrice.mp3" >"$work/from-second.mp3"
head -c $loop_bytes "$work/from-second.mp3" >"$OUTPUT"
ls -l "$OUTPUT"
