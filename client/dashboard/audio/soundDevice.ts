const LOOKS_APART_MS = 1_000;
/** The device is checked only while sound is wanted, so an earlier result is soon out of date. */
const BELIEVED_MS = 3_000;
/** Firefox plays for a few milliseconds without a sound device, then fails. */
const TRIED_MS = 300;
const OUTPUT_ERRORS = /AUDIO_RENDERER_ERROR|MEDIASINK_ERR|CUBEB_INITIALIZATION_ERR|OnMediaSinkAudioError/;
/** Firefox plays a fifth of a second of each connection without a sound device, then fails to decode it. */
const PLAYED_WITHOUT_OUTPUT_S = 1;

export type SoundDevice = {
  /** False where the browser does not tell. */
  isMissing(): boolean;
  /** Call it several times a second while sound is wanted. */
  check(): void;
  /** Call it when the sound device failed: it counts as missing until the next look, which follows at once. */
  failed(): void;
};

/** Resolves to null if the browser does not tell; rejects if it refuses to look. */
type Look = () => Promise<boolean | null>;

/**
 * Looks every second whether this computer has a sound device, because without one browsers may play into nothing:
 * Chromium even after the device is back, and Firefox reports no error for sound that is measured.
 * @param onReturn - called when a device is there again
 */
export function createSoundDevice(onReturn: () => void): SoundDevice {
  const look = isFirefox() ? createSilenceProbe() : createDeviceList();
  let wasListed: boolean | null = true;
  let isGone = false;
  let hasFailed = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let knownAt = Number.NEGATIVE_INFINITY;

  async function lookAgain(): Promise<void> {
    lookedAt = performance.now();
    const isListed = await look().catch(() => undefined);
    hasFailed = false;
    // A look that was refused says nothing about the device.
    if (isListed === undefined) return;
    knownAt = performance.now();
    const wasGone = isGone;
    // A device counts as back one look later: until then Chromium ends what it played into nothing.
    isGone = isListed === false || (isListed === true && wasListed !== true);
    wasListed = isListed;
    if (wasGone && !isGone) onReturn();
  }

  return {
    isMissing: () => (isGone || hasFailed) && performance.now() - knownAt < BELIEVED_MS,
    check() {
      if (performance.now() - lookedAt >= LOOKS_APART_MS) void lookAgain();
    },
    failed() {
      hasFailed = true;
      knownAt = performance.now();
      void lookAgain();
    },
  };
}

/** Browsers that list no devices never tell: only a list that becomes empty counts. Plain http has no list. */
function createDeviceList(): Look {
  let hasListed = false;
  return async () => {
    const devices = await navigator.mediaDevices.enumerateDevices();
    const isListed = devices.some(({ kind }) => kind === 'audiooutput');
    hasListed ||= isListed;
    return hasListed ? isListed : null;
  };
}

/** Firefox lists no devices. Without one, playing silence fails there; playing sound that is measured does not. */
function createSilenceProbe(): Look {
  const element = document.createElement('audio');
  element.src = new URL('./silence.wav', import.meta.url).href;
  element.loop = true;
  let rest: ReturnType<typeof setTimeout>;
  return async () => {
    clearTimeout(rest);
    rest = setTimeout(() => element.pause(), BELIEVED_MS);
    if (isOutputError(element, true)) element.load();
    if (element.paused) {
      await element.play().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, TRIED_MS));
    }
    return !isOutputError(element, true);
  };
}

export function isOutputError({ error, currentTime }: HTMLAudioElement, hasPlayed: boolean): boolean {
  if (error === null) return false;
  const { code, message, MEDIA_ERR_DECODE } = error;
  const stoppedAtOnce = hasPlayed && currentTime < PLAYED_WITHOUT_OUTPUT_S;
  return OUTPUT_ERRORS.test(message) || (code === MEDIA_ERR_DECODE && stoppedAtOnce);
}

export function isFirefox(): boolean {
  return navigator.userAgent.includes('Gecko/');
}
