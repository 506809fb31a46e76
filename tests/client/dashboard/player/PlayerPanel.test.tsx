import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { PlayerPanel } from '../../../../client/dashboard/player/PlayerPanel.tsx';
import { viewOf } from '../../../../client/dashboard/view.ts';
import { TOKEN_HEADING_ID } from '../../../../client/layout/focus.ts';
import { shownDashboard, testPlayer } from '../../page/player/testPlayer.ts';
import { wrapTexts } from '../../wrapTexts.ts';

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function panelOf(
  player: ReturnType<typeof testPlayer>,
  sessionEnded = false,
  isNext = false,
  peak: number | null = null,
) {
  const ended = sessionEnded ? ('UNAUTHENTICATED' as const) : null;
  const view = viewOf(shownDashboard({ ...player.page(), ended }), {
    stage: 'expired',
    muted: false,
    offline: false,
  });
  return (
    <PlayerPanel view={view} token={null} page={{ send: player.send, peak: () => peak }} isNext={isNext} />
  );
}

test('a session that ended promises no sound while it is missing', () => {
  const player = testPlayer().goes('plays');
  const { container, rerender } = render(panelOf(player, true));
  expect(container.textContent).toContain('El audio continúa.');
  rerender(panelOf(player.goes('lost'), true));
  expect(container.textContent).toContain('Tu sesión terminó.');
  expect(container.textContent).not.toContain('El audio continúa.');
});

function withHeading(panel: ReactNode) {
  return (
    <>
      <h2 id={TOKEN_HEADING_ID} tabIndex={-1}>
        Token
      </h2>
      {panel}
    </>
  );
}

test('the button that ends the waiting leaves the focus to the token', () => {
  const player = testPlayer().goes('plays 20min lost');
  const { rerender } = render(withHeading(panelOf(player)));
  const button = screen.getByText('Dejar de esperar');
  button.focus();
  fireEvent.click(button);
  expect(player.outcome()).toMatchObject({ wanted: false });
  rerender(withHeading(panelOf(player)));
  expect(document.activeElement?.id).toBe(TOKEN_HEADING_ID);
});

test('the button for the next attempt keeps the focus, inactive, until sound is heard', () => {
  const player = testPlayer().goes('play fails:none');
  const { rerender } = render(withHeading(panelOf(player)));
  const button = screen.getByText('Intentar ahora');
  button.focus();
  for (let presses = 0; presses < 2; presses += 1) {
    fireEvent.click(button);
    rerender(withHeading(panelOf(player)));
    expect(player.outcome().opened).toBe(2);
    expect([document.activeElement, button.getAttribute('aria-disabled')]).toEqual([button, 'true']);
  }
  rerender(withHeading(panelOf(player.goes('fails:none'))));
  expect([document.activeElement, button.getAttribute('aria-disabled')]).toEqual([button, 'false']);
  rerender(withHeading(panelOf(player.goes('15s playing'))));
  expect(document.activeElement?.id).toBe(TOKEN_HEADING_ID);
});

test('the link to sign in leaves the focus to the token once the session is back', () => {
  const player = testPlayer().goes('plays');
  const { rerender } = render(withHeading(panelOf(player, true)));
  screen.getByText('Iniciar sesión en otra pestaña').focus();
  rerender(withHeading(panelOf(player)));
  expect(document.activeElement?.id).toBe(TOKEN_HEADING_ID);
});

test('a delay is shown and never announced, since it changes each second', () => {
  const { container } = render(panelOf(testPlayer().goes('plays 20min behind:12')));
  expect(container.textContent).toContain('12 s por detrás del directo');
  const announced = [...container.querySelectorAll('[role=status]')].map(({ textContent }) => textContent);
  expect(announced.join()).not.toContain('por detrás');
});

test('a translated hint loses its advice without an error', () => {
  const player = testPlayer().goes('plays 20min dataStopped 500ms dataStopped');
  const { container, rerender } = render(panelOf(player));
  expect(container.textContent).toContain('Acabará en unos segundos. Crea otro Token.');
  wrapTexts(container);
  rerender(panelOf(player, true));
  expect(container.textContent).toContain('Acabará en unos segundos.');
  expect(container.textContent).not.toContain('Crea');
});

test.each([
  ['the status', 'plays waiting 500ms', 'Sin audio'],
  ['the hint', 'reloaded', 'El audio se detuvo'],
])('%s alone stands out when it alarms', (_what, steps, text) => {
  const { container } = render(panelOf(testPlayer().goes(steps)));
  const alarms = [...container.querySelectorAll('.pitch__alarm')].map(({ textContent }) => textContent);
  expect(alarms).toEqual([expect.stringContaining(text)]);
});

test.each([
  [1, '1.00'],
  [0.5, '0.87'],
  [0.004, '0.00'],
  [0, '0.00'],
])('a peak of %d is shown as the level %s in steps of loudness', (peak, level) => {
  vi.useFakeTimers();
  const { container } = render(panelOf(testPlayer().goes('plays'), false, false, peak));
  vi.advanceTimersByTime(100);
  const waves = container.querySelector<HTMLElement>('.waves--measured');
  expect(waves?.style.getPropertyValue('--level')).toBe(level);
});

test('a page that cannot set the volume has a mute button only', () => {
  vi.spyOn(HTMLMediaElement.prototype, 'volume', 'set').mockReturnValue();
  render(panelOf(testPlayer()));
  expect(screen.queryByRole('slider')).toBeNull();
  fireEvent.click(screen.getByLabelText('Silenciar'));
  expect(screen.getByLabelText('Activar sonido')).toBeDefined();
});
