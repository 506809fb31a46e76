const LOAD_TIMEOUT_MS = 15_000;

export type Api = typeof import('./api.ts');

let loaded: Api | null = null;

/**
 * Everything that speaks with the server, Apollo Client included: no screen's first picture needs it.
 * @throws when it cannot be had, or not in time
 */
export async function loadApi(): Promise<Api> {
  if (loaded) return loaded;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('Loading takes too long')), LOAD_TIMEOUT_MS);
  });
  try {
    loaded = await Promise.race([import('./api.ts'), tooLate]);
    return loaded;
  } finally {
    clearTimeout(timer);
  }
}

/** The same if it is there already. */
export function loadedApi(): Api | null {
  return loaded;
}
