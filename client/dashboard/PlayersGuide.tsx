import { DOC_PATHS } from '../../shared/paths.ts';
import { dashboardTexts } from './dashboardTexts.ts';

/** Opens a new tab, because another page in this tab would end the audio. */
export function PlayersGuide() {
  return (
    <a className="players-guide" href={DOC_PATHS['players.md']} target="_blank" rel="noreferrer">
      {dashboardTexts.playersGuide}
    </a>
  );
}
