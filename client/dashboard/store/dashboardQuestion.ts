import type { DashboardQuery } from '../../generated/graphql.ts';
import type { LocalRecords } from '../../session/localRecords.ts';
import type { Player } from './player.ts';
import type { Together } from './published.ts';
import type { TokenCreation } from './tokenCreation.ts';

/** Repeats a temporary failure; resolves to null after any other. */
export type AskDashboard = () => Promise<DashboardQuery | null>;

type DashboardQuestionOptions = {
  records: LocalRecords;
  ask: { dashboard: AskDashboard };
  player: Player;
  creation: TokenCreation;
  together: Together;
};

export function createDashboardQuestion({
  records,
  ask,
  player,
  creation,
  together,
}: DashboardQuestionOptions) {
  return async (): Promise<void> => {
    const countBefore = creation.createdCount();
    const answer = await ask.dashboard().catch((error: unknown) => void console.warn(error));
    if (player.isClosed() || !answer) return;
    const { session, stream } = answer;
    together(() => {
      if (session && records.isSameAccount(session)) records.keepAccount(session);
      // A token that was created meanwhile came with a newer address.
      if (creation.createdCount() === countBefore)
        player.send({ type: 'streamBaseLearned', streamBase: stream.baseUrl });
    });
  };
}
