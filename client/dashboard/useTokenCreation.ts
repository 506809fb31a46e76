import { useMutation } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { track } from '../analytics/track.ts';
import { failureOf } from '../api/failureOf.ts';
import type { Failure } from '../failure.ts';
import { CreateTokenDocument } from '../gql/graphql.ts';
import { localRecords } from '../localRecords.ts';
import { expiryOfNewToken } from './tokenState.ts';

/** Makes one token at a time. A failure leaves the token that there was. */
export function useTokenCreation(beforeCreation: () => void) {
  const [create, { loading }] = useMutation(CreateTokenDocument);
  const [failure, setFailure] = useState<Failure>();
  const underWay = useRef(false);

  async function createToken(): Promise<void> {
    if (underWay.current) return;
    underWay.current = true;
    setFailure(undefined);
    beforeCreation();
    const asker = localRecords.account();
    try {
      const { data } = await create();
      if (!data) throw new Error('The answer holds no token');
      const { token, lifetimeSeconds } = data.createToken;
      // Whoever signed out meanwhile leaves no token behind.
      if (localRecords.account() !== asker) return;
      localRecords.keepToken(token, expiryOfNewToken(Date.now(), lifetimeSeconds));
      track('token_created');
    } catch (error) {
      console.warn('Something went wrong');
      setFailure(failureOf(error));
    } finally {
      underWay.current = false;
    }
  }

  return { createToken, creating: loading, failure };
}
