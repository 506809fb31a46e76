/** A `Storage` that can be told to refuse, as browsers do in private windows or over quota. */
export class FakeStorage {
  readonly kept = new Map<string, string>();
  refusesReads = false;
  refusesWrites = false;

  constructor(kept: Record<string, string> = {}) {
    for (const [key, value] of Object.entries(kept)) this.kept.set(key, value);
  }

  getItem(key: string): string | null {
    if (this.refusesReads) throw new Error('SecurityError');
    return this.kept.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.refusesWrites) throw new Error('QuotaExceededError');
    this.kept.set(key, value);
  }

  removeItem(key: string): void {
    if (this.refusesWrites) throw new Error('SecurityError');
    this.kept.delete(key);
  }
}
