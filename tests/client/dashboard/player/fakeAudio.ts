/** An audio element that does nothing by itself: tests say what happens to it. */
export class FakeAudio extends EventTarget {
  readonly HAVE_FUTURE_DATA = 3;
  readyState = 0;
  currentTime = 0;
  paused = true;
  ended = false;
  error: { message: string } | null = null;
  /** Every address that was set, in order. */
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

  /** Sound starts to come out. */
  sound(): void {
    this.readyState = this.HAVE_FUTURE_DATA;
    this.currentTime = 0.1;
    this.tell('playing');
  }

  /** This fake, typed as the real element. */
  get element(): HTMLAudioElement {
    return this as unknown as HTMLAudioElement;
  }
}

export function domException(name: string): Error {
  return new DOMException('refused', name);
}
