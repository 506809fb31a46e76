import { vi } from 'vitest';

/** An audio element that does nothing by itself: tests say what happens to it. */
export class FakeAudio extends EventTarget {
  readonly HAVE_FUTURE_DATA = 3;
  readonly NETWORK_LOADING = 2;
  networkState = 2;
  readyState = 0;
  duration = Number.POSITIVE_INFINITY;
  buffered = { length: 1, end: () => 0 };
  seekable = { length: 1, end: () => 0 };
  currentTime = 0;
  playbackRate = 1;
  paused = true;
  ended = false;
  error: { message: string; code?: number; MEDIA_ERR_DECODE?: number } | null = null;
  readonly opened: string[] = [];
  /** The error that rejects the next `play()`; without one it stays pending. */
  refusal: Error | null = null;

  get src(): string | undefined {
    return this.#src;
  }

  set src(address: string) {
    this.#src = address;
    this.opened.push(address);
  }

  #src: string | undefined;

  play(): Promise<void> {
    if (this.refusal) return Promise.reject(this.refusal);
    this.paused = false;
    return new Promise(() => undefined);
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    queueMicrotask(() => this.tell('pause'));
  }

  removeAttribute(name: string): void {
    if (name === 'src') this.#src = undefined;
  }

  load(): void {
    this.readyState = 0;
    this.currentTime = 0;
  }

  tell(event: string): void {
    this.dispatchEvent(new Event(event));
  }

  attached = false;

  /** Leaves the page, at which browsers pause an element, and lets another one take its place. */
  replaceWith(other: FakeAudio): void {
    this.attached = false;
    other.attached = true;
    this.pause();
  }

  remove(): void {
    this.attached = false;
  }

  async playsOn(seconds: number, { data = true } = {}): Promise<void> {
    for (let part = 0; part < seconds * 5; part += 1) {
      this.currentTime += 0.2;
      if (data) this.tell('progress');
      await vi.advanceTimersByTimeAsync(200);
    }
  }

  /** Plays with steady data until the data is found to have stopped. */
  async runsDry(): Promise<void> {
    await this.playsOn(5);
    await this.playsOn(2, { data: false });
  }

  sound(): void {
    this.readyState = this.HAVE_FUTURE_DATA;
    this.currentTime = 0.1;
    this.tell('playing');
  }

  get element(): HTMLAudioElement {
    return this as unknown as HTMLAudioElement;
  }
}

export function domException(name: string): Error {
  return new DOMException('refused', name);
}
