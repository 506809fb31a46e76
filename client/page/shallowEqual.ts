export function shallowEqual<State extends object>(one: State, other: State): boolean {
  const keys = Object.keys(one) as (keyof State)[];
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
