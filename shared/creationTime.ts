/** No creation of a token takes longer: the page gives up after it (tests/server/streamTokens/createToken.test.ts). */
export const LONGEST_CREATION_MS = 19_000;
