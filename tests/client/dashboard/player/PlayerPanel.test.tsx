import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { PlayerPanel } from '../../../../client/dashboard/player/PlayerPanel.tsx';
import { TOKEN_HEADING_ID } from '../../../../client/dashboard/useFocusHandedOver.ts';
import { viewOf } from '../../../../client/dashboard/view.ts';
import { testPlayer } from '../../page/player/testPlayer.ts';
import { wrapTexts } from '../../wrapTexts.ts';

afterEach(cleanup);

function panelOf(player: ReturnType<typeof testPlayer>, sessionEnded = false, isNext = false) {
  const ended = sessionEnded ? ('UNAUTHENTICATED' as const) : null;
  const token = { kind: 'expired' } as const;
  const view = viewOf({ ...player.page(), ended }, { token, muted: false, offline: false });
  return (
    <PlayerPanel view={view} token={token} page={{ send: player.send, peak: () => null }} isNext={isNext} />
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

test.each([
  ['Intentar ahora', 'play fails:none', { opened: 2 }],
  ['Dejar de esperar', 'plays 20min lost', { wanted: false }],
])('the button %s, pressed after %s, leads to %j, and the focus to the token', (name, steps, outcome) => {
  const player = testPlayer().goes(steps);
  const page = () => (
    <>
      <h2 id={TOKEN_HEADING_ID} tabIndex={-1}>
        Token
      </h2>
      {panelOf(player)}
    </>
  );
  const { rerender } = render(page());
  const button = screen.getByText(name);
  button.focus();
  fireEvent.click(button);
  expect(player.outcome()).toMatchObject(outcome);
  rerender(page());
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
