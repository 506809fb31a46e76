/** The path of a player's address, directly followed by its key. */
export const LIVE_PATH = '/live/';
