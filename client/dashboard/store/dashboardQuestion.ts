import type { DashboardQuery } from '../../generated/graphql.ts';
import type { LocalRecords } from '../../session/localRecords.ts';
import type { Player } from './player.ts';
import type { Together } from './published.ts';
import type { TokenCreation } from './tokenCreation.ts';
import type { TokenStore } from './tokenStore.ts';

/** Repeats a temporary failure; resolves to null after any other. */
export type AskDashboard = () => Promise<DashboardQuery | null>;

type DashboardQuestionOptions = {
  records: LocalRecords;
  ask: { dashboard: AskDashboard };
  player: Player;
  tokens: TokenStore;
  creation: TokenCreation;
  together: Together;
};

export function createDashboardQuestion(options: DashboardQuestionOptions) {
  const { records, ask, player, tokens, creation, together } = options;
  return async (): Promise<void> => {
    const countBefore = creation.createdCount();
    const answer = await ask.dashboard().catch((error: unknown) => void console.warn(error));
    if (player.isClosed() || !answer) return;
    const { session, stream } = answer;
    together(() => {
      if (session && records.isSameAccount(session)) records.keepAccount(session);
      // A token that was created meanwhile came with a newer address.
      if (creation.createdCount() !== countBefore) return;
      if (tokens.learnBase(stream.baseUrl))
        player.send({ type: 'addressChanged', hasNewToken: false, hasNewBase: true });
    });
  };
}
