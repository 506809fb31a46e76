import { parseJson, type StoredToken } from './records.ts';
import { type KeyValueStorage, TAB_STORAGE_KEYS } from './storageKeys.ts';
import { differs, type Step, writeInOrder } from './writeInOrder.ts';

/** Kept for a reload in the same tab; a copied tab finds it too. */
export type TabRecords = {
  /** The account whose sound was wanted, and the id of the page in which it was; null for one that wrote no id. */
  soundWanted: { account: string; page: string | null } | null;
  earlier: { account: string; tokens: StoredToken[] } | null;
  /** The stream's address as the account last had it, so that the token plays whatever our server does meanwhile. */
  stream: { account: string; base: string } | null;
};

export const NO_TAB_RECORDS: TabRecords = { soundWanted: null, earlier: null, stream: null };

export function readTabRecords({ getItem }: Pick<KeyValueStorage, 'getItem'>): TabRecords {
  const account = getItem(TAB_STORAGE_KEYS.soundWanted);
  return {
    soundWanted: account === null ? null : { account, page: getItem(TAB_STORAGE_KEYS.soundWantedBy) },
    earlier: parseEarlier(getItem(TAB_STORAGE_KEYS.earlierTokens)),
    stream: parseStream(getItem(TAB_STORAGE_KEYS.streamBase)),
  };
}

const STEPS: Step<TabRecords>[] = [
  {
    key: TAB_STORAGE_KEYS.soundWanted,
    when: differs('soundWanted'),
    text: ({ soundWanted }) => soundWanted?.account ?? null,
  },
  {
    key: TAB_STORAGE_KEYS.soundWantedBy,
    when: differs('soundWanted'),
    text: ({ soundWanted }) => soundWanted?.page ?? null,
  },
  {
    key: TAB_STORAGE_KEYS.earlierTokens,
    when: differs('earlier'),
    text: ({ earlier }) => earlier && JSON.stringify(earlier),
  },
  {
    key: TAB_STORAGE_KEYS.streamBase,
    when: differs('stream'),
    text: ({ stream }) => stream && JSON.stringify(stream),
  },
];

export function writeTabRecords(storage: KeyValueStorage, known: TabRecords, wanted: TabRecords): void {
  writeInOrder(STEPS, storage, known, wanted);
}

/** Unreadable text becomes an empty list of no account, and is then deleted. */
function parseEarlier(text: string | null): TabRecords['earlier'] {
  if (text === null) return null;
  const found = Object(parseJson(text));
  const tokens: unknown[] = Array.isArray(found.tokens) ? found.tokens : [];
  return { account: String(found.account), tokens: tokens.filter(isStoredToken) };
}

/** Nothing but a web address: another program may have written it. */
function parseStream(text: string | null): TabRecords['stream'] {
  if (text === null) return null;
  const { account, base } = Object(parseJson(text));
  return { account: String(account), base: /^https?:/.test(base) ? String(base) : '' };
}

function isStoredToken(value: unknown): value is StoredToken {
  const { token, expiresAt } = Object(value);
  return typeof token === 'string' && Number.isSafeInteger(expiresAt);
}
