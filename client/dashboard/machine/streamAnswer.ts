/**
 * The provider's answer about a stream that does not open. `refused`: it does not accept the token; `unreadable`: the
 * browser may not read the answer; `fault`: an error status; `audio`: it would open now; `notAudio`: something else, such
 * as an HTML page; `none`: no answer came.
 */
export type StreamAnswer = 'refused' | 'unreadable' | 'fault' | 'audio' | 'notAudio' | 'none';

const REFUSALS_BELIEVED = 2;
/** So many unreadable answers in a row count as a refusal, where the page may create another token by itself. */
const UNREADABLE_BELIEVED = 4;
/** So many answers in a row were audio, and the browser played none of it. */
const UNDECODABLE_BELIEVED = 3;

export type Answers = {
  /** The connection that did not open, while the page asks the provider why. */
  asking: { id: number; url: string } | null;
  /** Null if nobody asked. `noOutput`: this computer could not play the sound. */
  last: StreamAnswer | 'noOutput' | null;
  inARow: number;
};

export const NO_ANSWERS: Answers = { asking: null, last: null, inARow: 0 };

export function withAnswer(before: Answers, last: NonNullable<Answers['last']>): Answers {
  return { asking: null, last, inARow: last === before.last ? before.inARow + 1 : 1 };
}

export function isRefused({ last, inARow }: Answers): boolean {
  return last === 'refused' && inARow >= REFUSALS_BELIEVED;
}

export function isLikelyRefused({ last, inARow }: Answers): boolean {
  return last === 'unreadable' && inARow >= UNREADABLE_BELIEVED;
}

export function isUndecodable({ last, inARow }: Answers): boolean {
  return last === 'audio' && inARow >= UNDECODABLE_BELIEVED;
}
