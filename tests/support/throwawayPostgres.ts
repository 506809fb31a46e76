/** Faster, and safe as long as the machine itself does not crash. */
export const THROWAWAY_SETTINGS = { fsync: 'off', full_page_writes: 'off' };
