// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { PlayerPanel } from '../../../../client/dashboard/player/PlayerPanel.tsx';
import { playerView } from '../../../../client/dashboard/player/playerView.ts';
import { testPlayer } from './testPlayer.ts';

afterEach(cleanup);

function panelOf(player: ReturnType<typeof testPlayer>, sessionEnded = false) {
  const view = playerView(player.state(), {
    token: 'expired',
    muted: false,
    offline: false,
    serverSilent: false,
  });
  return (
    <PlayerPanel
      view={view}
      urgency="outlived"
      player={{ send: player.send, peak: () => null }}
      isNext={false}
      sessionEnded={sessionEnded}
    />
  );
}

test('a session that ended promises no sound while it is missing', () => {
  const player = testPlayer();
  player.play();
  player.reports('sounding');
  const { container, rerender } = render(panelOf(player, true));
  expect(container.textContent).toContain('El audio continúa.');
  player.reports('lost');
  rerender(panelOf(player, true));
  expect(container.textContent).toContain('Tu sesión terminó.');
  expect(container.textContent).not.toContain('El audio continúa.');
});

test('a growing delay is shown each second and never announced', () => {
  const player = testPlayer();
  player.play();
  player.reports('sounding');
  player.passes(20 * 60_000);
  const announced: (string | null)[] = [];
  const panel = (behindSeconds: number) => {
    player.reports({ behindSeconds });
    return panelOf(player);
  };
  const { container, rerender } = render(panel(12));
  for (const seconds of [13, 14]) {
    announced.push(
      ...[...container.querySelectorAll('[role=status], [aria-live]')].map((region) => region.textContent),
    );
    rerender(panel(seconds));
    expect(container.textContent).toContain(`${seconds} s por detrás del directo`);
  }
  expect(announced.join()).not.toContain('por detrás');
});
