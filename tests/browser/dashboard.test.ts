import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Partner, type PartnerSite, STUDIO_HOST, startPartnerSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { requireFfmpeg } from '../support/testTools.ts';

let site: PartnerSite;
let partner: Partner;

beforeAll(async () => {
  site = await startPartnerSite();
});
afterAll(() => site.close());
beforeEach(async () => {
  partner = await site.newPartner();
});
afterEach(() => partner.context.close());

const MINUTE_MS = 60_000;

describe('the dashboard', () => {
  test('shows company, notes, version and sign-out, and without a token nothing to play or copy', async () => {
    const { page, screen, complaints } = partner;
    await partner.signIn();
    expect(await page.getByText('Radio Uno').isVisible()).toBe(true);
    for (const text of [
      'Un token dura 20 minutos.',
      'Un token en reproducción no tiene caducidad.',
      'Los tokens son exclusivos por canal de comunicación.',
      'v1.1',
    ]) {
      expect(await page.getByText(text, { exact: true }).isVisible()).toBe(true);
    }
    expect(await screen.signOut.isVisible()).toBe(true);
    expect(await screen.token.inputValue()).toBe('Debes generar un Token');
    expect(await screen.playerStatus.textContent()).toBe('Debes generar un Token');
    expect(await screen.countdown.textContent()).toBe('00:00');
    expect(await screen.play.isDisabled()).toBe(true);
    expect(await screen.copy.isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('the whole job: a token from 19 : 59 down, sound that really plays, and the address in the clipboard', async () => {
    const { page, screen, complaints } = partner;
    await partner.signIn();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    const token = await partner.createToken();

    expect(await screen.countdown.textContent()).toBe('19 : 59');
    expect(await screen.playerStatus.textContent()).toBe('Audio en pausa');
    const { token: stored, token_expire: expire } = await partner.storage();
    expect(stored).toBe(token);
    const now = await page.evaluate(() => Date.now());
    expect(expire).toMatch(/^\d+$/);
    expect(Number(expire)).toBe(now + 20 * MINUTE_MS);
    await page.clock.runFor(1_000);
    expect(await screen.countdown.textContent()).toBe('19 : 58');
    await page.clock.resume();

    await partner.play();
    await partner.soundAdvances();

    await partner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await screen.copy.click();
    await page.getByText('URL copiada').waitFor();
    expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);

    await screen.pause.click();
    await page.getByText('Audio en pausa').waitFor();
    expect(await page.evaluate(() => document.querySelector('audio')?.hasAttribute('src'))).toBe(false);
    await partner.play();
    await partner.soundAdvances();
    expect(complaints).toEqual([]);
  });

  test('ffmpeg and ffprobe find audio at the copied address, and are refused with a wrong token', async () => {
    const { ffmpeg, ffprobe } = requireFfmpeg();
    const run = promisify(execFile);
    await partner.signIn();
    await partner.createToken();
    await partner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await partner.screen.copy.click();
    await partner.page.getByText('URL copiada').waitFor();
    const address = await partner.clipboard();

    const codec = '-v error -show_entries stream=codec_name -of csv=p=0'.split(' ');
    const { stdout } = await run(ffprobe, [...codec, address]);
    expect(stdout.trim()).toBe('mp3');
    const volume = '-t 1 -af volumedetect -f null -'.split(' ');
    const heard = await run(ffmpeg, ['-v', 'info', '-i', address, ...volume]);
    expect(heard.stderr).toMatch(/max_volume: -?[0-9.]+ dB/);

    const wrong = `${address.slice(0, -8)}AAAAAAA=`;
    await expect(run(ffprobe, ['-v', 'error', wrong])).rejects.toThrow(/403/);
  });

  test('over plain http in a local network, where the clipboard API is missing, the address is copied all the same', async () => {
    const { page, screen } = partner;
    const studio = new URL(site.url);
    studio.hostname = STUDIO_HOST;
    await partner.signIn(studio.href);
    expect(await page.evaluate(() => 'clipboard' in navigator)).toBe(false);
    const token = await partner.createToken();
    await partner.play();
    await partner.soundAdvances();
    await screen.copy.click();
    await page.getByText('URL copiada').waitFor();
    expect(partner.complaints).toEqual([]);
    await page.goto(site.url);
    expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);
  });

  test('where no way of copying works, the whole URL is shown, selected, until there is another', async () => {
    const { page, screen } = partner;
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
      document.execCommand = () => false;
    });
    await partner.signIn();
    const token = await partner.createToken();
    await screen.copy.click();
    await page.getByText('No se pudo copiar la URL').waitFor();
    const address = page.getByRole('textbox', { name: 'URL de la emisión' });
    expect(await address.inputValue()).toBe(site.streamBaseUrl + token);
    const selected = () => page.evaluate(() => getSelection()?.toString());
    expect(await selected()).toBe(site.streamBaseUrl + token);
    await screen.copy.click();
    await expect.poll(selected).toBe(site.streamBaseUrl + token);
    await partner.createToken();
    await address.waitFor({ state: 'detached' });
  });

  test('that it was copied is said anew each time, and of the present token only', async () => {
    const { page, screen } = partner;
    await partner.signIn();
    await partner.createToken();
    await screen.copy.click();
    const said = page.getByText('URL copiada');
    await said.waitFor();
    await said.evaluate((element) => element.setAttribute('data-before', ''));
    await screen.copy.click();
    await expect.poll(() => said.getAttribute('data-before')).toBeNull();
    await partner.createToken();
    expect(await said.isVisible()).toBe(false);
  });
});

describe('one press makes one token', () => {
  test('however long Enter is held, and none for the second click of a double one', async () => {
    const { page, screen } = partner;
    let asked = 0;
    await partner.signIn();
    page.on('request', (request) => {
      if (request.postData()?.includes('mutation CreateToken')) asked += 1;
    });
    const overlay = page.getByText('Creando Token');
    await screen.createToken.focus();
    for (let repeats = 0; repeats < 10; repeats += 1) {
      await page.keyboard.down('Enter');
      await overlay.waitFor({ state: 'hidden' });
    }
    await page.keyboard.up('Enter');
    await expect.poll(() => screen.countdown.textContent()).toMatch(/^19 : 5\d$/);
    expect(asked).toBe(1);

    await screen.createToken.click();
    await overlay.waitFor({ state: 'hidden' });
    await expect.poll(() => asked).toBe(2);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await overlay.waitFor({ state: 'hidden' });
    await screen.createToken.click();
    await expect.poll(() => asked).toBe(3);
  });
});

describe("another account's record, written in another tab,", () => {
  test("leaves nothing of the first one's behind, its sound included", async () => {
    const { page } = partner;
    await partner.signIn();
    await partner.createToken();
    await partner.play();
    const other = await partner.context.newPage();
    await other.route('**/assets/*.js', (route) => route.abort());
    await other.goto('/');
    await other.evaluate(() =>
      localStorage.setItem('account', '{"logged":true,"id":"otra","company":"Radio Otra"}'),
    );
    await page.getByRole('heading', { name: 'Radio Otra' }).waitFor();
    await partner.status('Audio en pausa');
    expect(await page.evaluate(() => document.querySelector('audio')?.hasAttribute('src'))).toBe(false);
  });
});

describe('a company whose name changed', () => {
  const rename = (company: string) =>
    site.app.prisma.account.update({ where: { username: ACCOUNT.username }, data: { company } });
  afterEach(() => rename(ACCOUNT.company));

  test('is learned without disturbing a token that is being created', async () => {
    const { page, screen } = partner;
    await partner.signIn();
    const token = await partner.createToken();
    await rename('Radio Uno FM');
    const answerToken = await answersLate('createToken');
    const answerName = await answersLate('baseUrl');
    await page.reload();
    await screen.createToken.click();
    await page.getByText('Creando Token').waitFor();
    answerName();
    await page.getByRole('heading', { name: 'Radio Uno FM' }).waitFor();
    answerToken();
    await expect.poll(() => screen.token.inputValue()).not.toBe(token);
  });

  test('is shown at the next load, in a record of the same shape, without disturbing a play that waits', async () => {
    const { page, screen } = partner;
    await partner.signIn();
    await partner.createToken();
    const { account: before = '' } = await partner.storage();
    await rename('Radio Uno FM');
    const answer = await answersLate('baseUrl');
    await page.reload();
    await screen.play.click();
    await partner.status('Conectando…');
    answer();
    await page.getByRole('heading', { name: 'Radio Uno FM' }).waitFor();
    await partner.status('Audio en reproducción');
    expect((await partner.storage()).account).toBe(before.replace('Radio Uno', 'Radio Uno FM'));
  });

  /** Holds the answers to what asks for a field until the function returned is called. */
  async function answersLate(field: string): Promise<() => void> {
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await partner.page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes(field)) await late;
      await route.fallback();
    });
    return answer;
  }
});

describe('after 20 minutes', () => {
  beforeEach(async () => {
    await partner.signIn();
    await partner.page.clock.install();
    await partner.createToken();
  });

  test('the token is expired: the text area says so in error style, the countdown shows 00:00, play is grey', async () => {
    const { page, screen } = partner;
    await page.clock.fastForward(19 * MINUTE_MS);
    await expect.poll(() => screen.countdown.textContent()).toMatch(/^00 : (5\d|4\d)$/);
    expect(await screen.token.getAttribute('aria-invalid')).not.toBe('true');
    await page.clock.fastForward(MINUTE_MS);
    await expect.poll(() => screen.token.inputValue()).toBe('Token expirado, Debes crear uno nuevo Token');
    expect(await screen.token.getAttribute('aria-invalid')).toBe('true');
    expect(await screen.countdown.textContent()).toBe('00:00');
    expect(await screen.playerStatus.textContent()).toBe('Debes generar un Token');
    expect(await screen.play.isDisabled()).toBe(true);
    expect(await screen.copy.isDisabled()).toBe(true);
    expect((await partner.storage()).token_expire).toBe('0');

    await partner.createToken();
    expect(await screen.countdown.textContent()).toMatch(/^19 : 5\d$/);
    expect(await screen.play.isEnabled()).toBe(true);
  });
});

describe('reloading the page', () => {
  test('restores the token and its countdown', async () => {
    const { page, screen } = partner;
    await partner.signIn();
    const token = await partner.createToken();
    await page.reload();
    await screen.token.waitFor();
    expect(await screen.token.inputValue()).toBe(token);
    expect(await screen.countdown.textContent()).toMatch(/^19 : 5\d$/);
    await partner.play();
  });

  test.each([
    ['an expiry that is no number', { token: 'abc', token_expire: 'mañana' }, 'Debes generar un Token'],
    [
      'an expiry that is past',
      { token: 'abc', token_expire: String(Date.now() - MINUTE_MS) },
      'Token expirado, Debes crear uno nuevo Token',
    ],
  ])('with %s stored shows no active token', async (_name, stored, text) => {
    const { page, screen } = partner;
    await partner.signIn();
    await page.evaluate(
      (keys) => {
        for (const [key, value] of Object.entries(keys)) localStorage.setItem(key, value);
      },
      stored as Record<string, string>,
    );
    await page.reload();
    await expect.poll(() => screen.token.inputValue()).toBe(text);
    expect(await screen.countdown.textContent()).toBe('00:00');
    expect(await screen.play.isDisabled()).toBe(true);
  });

  test('a new token shows in the other tab', async () => {
    await partner.signIn();
    const other = await partner.context.newPage();
    await other.goto('/dashboard');
    const box = other.getByRole('textbox', { name: 'Token' });
    await box.waitFor();
    const token = await partner.createToken();
    await expect.poll(() => box.inputValue()).toBe(token);
    expect(await other.getByRole('timer').textContent()).toMatch(/^19 : 5\d$/);
  });
});

describe('a clock that is set', () => {
  const setClock = (byMs: number) =>
    partner.page.evaluate((ms) => {
      const read = Date.now;
      Date.now = () => read() + ms;
    }, byMs);

  test.each([
    ['seconds', 10_000],
    ['a minute', MINUTE_MS],
  ])('back by %s leaves a token just made as it is, reload or not', async (_, byMs) => {
    const { page, screen } = partner;
    await partner.signIn();
    const token = await partner.createToken();
    const { token_expire: expire } = await partner.storage();
    // The countdown stands at its first second until the clock is where it was.
    await screen.countdown.filter({ hasText: '19 : 58' }).waitFor();
    await setClock(-byMs);
    await screen.countdown.filter({ hasText: '19 : 59' }).waitFor();
    expect(await screen.token.inputValue()).toBe(token);

    await page.addInitScript((ms) => {
      const read = Date.now;
      Date.now = () => read() - ms;
    }, byMs);
    await page.reload();
    await screen.countdown.filter({ hasText: '19 : 59' }).waitFor();
    expect(await screen.token.inputValue()).toBe(token);
    expect(await partner.storage()).toMatchObject({ token, token_expire: expire });
    await partner.play();
  });

  test('right, after it was far ahead while a token was made: that one is shown again once its expiry is believed', async () => {
    const { screen } = partner;
    await partner.signIn();
    await setClock(10 * MINUTE_MS);
    const token = await partner.createToken();
    const { token_expire: expire } = await partner.storage();

    await setClock(-10 * MINUTE_MS);
    await expect.poll(() => screen.token.inputValue()).toBe('Debes generar un Token');
    expect(await screen.countdown.textContent()).toBe('00:00');
    expect(await screen.play.isDisabled()).toBe(true);
    expect(await partner.storage()).toMatchObject({ token, token_expire: expire });

    await setClock(10 * MINUTE_MS);
    await expect.poll(() => screen.token.inputValue(), { timeout: 2_000 }).toBe(token);
    expect(await screen.play.isEnabled()).toBe(true);
  });

  test('shows a token whose expiry was not believed at the load, within two seconds and without another', async () => {
    const { page, screen } = partner;
    await partner.signIn();
    const stored = { token: 'abc', token_expire: String(Date.now() + 30 * MINUTE_MS) };
    await page.evaluate((keys) => {
      for (const [key, value] of Object.entries(keys)) localStorage.setItem(key, value);
    }, stored);
    await page.reload();
    await screen.createToken.waitFor();
    expect(await screen.token.inputValue()).toBe('Debes generar un Token');
    expect(await partner.storage()).toMatchObject(stored);

    await setClock(11 * MINUTE_MS);
    await expect.poll(() => screen.token.inputValue(), { timeout: 2_000 }).toBe('abc');
    expect(await screen.countdown.textContent()).toMatch(/^18 : 5\d$/);
    expect(await partner.storage()).toMatchObject(stored);

    await setClock(19 * MINUTE_MS);
    await expect
      .poll(() => screen.token.inputValue(), { timeout: 2_000 })
      .toBe('Token expirado, Debes crear uno nuevo Token');
    expect(await partner.storage()).toMatchObject({ token: 'abc', token_expire: '0' });
  });
});

describe('when the provider fails', () => {
  test('the console is warned, the overlay clears, the active token stays, the partner is told, and can try again', async () => {
    const { page, screen } = partner;
    const warnings: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'warning') warnings.push(message.text());
    });
    await partner.signIn();
    const token = await partner.createToken();
    await site.providerDown();
    try {
      await screen.createToken.click();
      await page.getByText('El proveedor de audio no responde').waitFor();
      expect(warnings).toContain('Something went wrong');
      await page.getByText('Creando Token').waitFor({ state: 'hidden' });
      expect(await screen.token.inputValue()).toBe(token);
    } finally {
      await site.providerUp();
    }
    expect(await partner.createToken()).not.toBe(token);
    await page.getByText('El proveedor de audio no responde').waitFor({ state: 'hidden' });
  });

  test('what failed is forgotten once another tab has a new token', async () => {
    const { page, screen } = partner;
    await partner.signIn();
    await page.route('**/graphql', (route) =>
      route.fulfill({
        json: { data: null, errors: [{ message: 'x', extensions: { code: 'PROVIDER_UNAVAILABLE' } }] },
      }),
    );
    await screen.createToken.click();
    const message = page.getByText('El proveedor de audio no responde');
    await message.waitFor();
    const other = await partner.context.newPage();
    await other.goto('/dashboard');
    await other.getByRole('button', { name: 'Crear Token' }).click();
    await expect.poll(() => screen.countdown.textContent()).toMatch(/^19 : 5\d$/);
    await message.waitFor({ state: 'hidden', timeout: 5_000 });
  });

  test('the partner is told when it is the network that is missing, until it is back', async () => {
    const { page, screen, context } = partner;
    await partner.signIn();
    await context.setOffline(true);
    await screen.createToken.click();
    const message = page.getByText('No hay conexión a la red. Inténtalo cuando vuelva.');
    await message.waitFor();
    await context.setOffline(false);
    await message.waitFor({ state: 'hidden' });
  });

  test('a stream that is lost after the token expired is paused, and the partner is told', async () => {
    await partner.signIn();
    await partner.page.clock.install();
    await partner.createToken();
    await partner.play();
    await partner.page.clock.fastForward(20 * MINUTE_MS);
    await site.providerDown();
    try {
      await partner.page.getByText('Se perdió el audio').waitFor();
      expect(await partner.screen.playerStatus.textContent()).toBe('Debes generar un Token');
    } finally {
      await site.providerUp();
    }
  });

  test('a session that ended elsewhere signs the partner out at the next token', async () => {
    await partner.signIn();
    await site.app.prisma.session.deleteMany();
    await partner.screen.createToken.click();
    await partner.screen.signIn.waitFor();
    expect(await partner.storage()).toEqual({});
  });
});
