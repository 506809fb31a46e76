/**
 * Time and chance of an event. `epochMs` is for the time of day, `monotonicMs` for durations, since the first clock may
 * be set meanwhile. `chance` is a new random number from 0 to 1.
 */
export type Moment = { epochMs: number; monotonicMs: number; chance: number };
