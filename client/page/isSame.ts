/** Compares two values by what they would be as JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns `before` while the value is the same, so that nothing seems to have changed. */
export function sameOr<Value>(before: Value, now: Value): Value {
  return isSame(before, now) ? before : now;
}

/** Compares each property by `===`. */
export function shallowEqual<State extends object>(one: State, other: State): boolean {
  const keys = Object.keys(one) as (keyof State)[];
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
