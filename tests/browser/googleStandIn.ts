import type { BrowserContext, Request } from 'playwright-core';

/** The origins that Firebase Analytics calls; `events` is where the Google tag sends events. */
export const GOOGLE = {
  config: 'https://firebase.googleapis.com',
  installations: 'https://firebaseinstallations.googleapis.com',
  tag: 'https://www.googletagmanager.com',
  events: 'https://region1.google-analytics.com',
};
type Service = keyof typeof GOOGLE;

export const FIREBASE_CONFIG = {
  apiKey: 'AIza-stand-in',
  projectId: 'audio-stand-in',
  appId: '1:23:web:45',
  measurementId: 'G-STANDIN',
};

const ANSWERS: Record<Service, { contentType: string; body: string }> = {
  config: json({ ...FIREBASE_CONFIG, messagingSenderId: '23' }),
  installations: json({
    fid: 'cStandInForAnId0123456',
    refreshToken: 'refresh',
    authToken: { token: 'auth', expiresIn: '604800s' },
  }),
  tag: { contentType: 'text/javascript', body: `(${standInTag})()` },
  events: { contentType: 'text/plain', body: '' },
};

/** Records every https request of a browser and answers it in Google's place, unless the browser blocks them. */
export async function standInForGoogle(context: BrowserContext, { blocked = false } = {}) {
  const requests: Request[] = [];
  await context.route(/^https:/, async (route) => {
    const request = route.request();
    requests.push(request);
    const { origin } = new URL(request.url());
    const service = (Object.keys(GOOGLE) as Service[]).find((each) => GOOGLE[each] === origin);
    if (service === undefined || blocked) await route.abort();
    else await route.fulfill({ ...ANSWERS[service], headers: { 'access-control-allow-origin': '*' } });
  });
  return {
    origins: () => new Set(requests.map((request) => new URL(request.url()).origin)),
    events: () => requests.filter((request) => request.url().startsWith(GOOGLE.events)).map(eventOf),
    async everythingSent(): Promise<string> {
      const parts = await Promise.all(
        requests.map(async (request) => {
          const url = request.url();
          const headers = Object.values(await request.allHeaders());
          return [url, decodeURIComponent(url.replaceAll('+', ' ')), ...headers, request.postData()];
        }),
      );
      return parts.flat().join('\n');
    },
  };
}

function eventOf(request: Request) {
  const { name, page_location, page_referrer, page_title } = request.postDataJSON();
  return { name, path: new URL(page_location).pathname, referrer: page_referrer, title: page_title };
}

/**
 * Replaces the Google tag, in the page: an event's own values win over those of `config`, these over those of `set`,
 * and these over what the page itself says.
 */
function standInTag(): void {
  type Values = Record<string, unknown>;
  const layer = (window as unknown as { dataLayer: IArguments[] }).dataLayer;
  const scopes: Record<string, Values> = { set: {}, config: {} };

  function send(name: string, values: Values): void {
    const told = {
      name,
      page_location: location.href,
      page_referrer: document.referrer,
      page_title: document.title,
      ...scopes.set,
      ...scopes.config,
      ...values,
    };
    const body = JSON.stringify(told);
    fetch('https://region1.google-analytics.com/g/collect', { method: 'POST', body }).catch(() => undefined);
  }

  function take([command, ...given]: ArrayLike<unknown> & Iterable<unknown>): void {
    if (command === 'set') Object.assign(scopes.set as Values, given[0]);
    if (command === 'config') {
      Object.assign(scopes.config as Values, given[1]);
      if (scopes.config?.send_page_view !== false) send('page_view', {});
    }
    if (command === 'event') send(String(given[0]), given[1] as Values);
  }

  for (const call of layer) take(call);
  layer.push = (...calls) => {
    for (const call of calls) take(call);
    return Array.prototype.push.apply(layer, calls);
  };
  document.addEventListener('scroll', () => send('scroll', {}), { once: true });
}

function json(value: unknown) {
  return { contentType: 'application/json', body: JSON.stringify(value) };
}
