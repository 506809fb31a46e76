import { useMutation } from '@apollo/client/react';
import { useCallback } from 'react';
import { UNASKED_HEADER } from '../../../shared/headers.ts';
import { failureOf } from '../../api/failure.ts';
import { CreateTokenDocument } from '../../generated/graphql.ts';
import type { Requests } from '../../page/surroundings.ts';

/** The returned function also works once the component is gone, as after an error while drawing. */
export function useCreateToken(): Requests['createToken'] {
  // Not cached: the cache may outlive the session.
  const [createToken] = useMutation(CreateTokenDocument, { fetchPolicy: 'no-cache' });
  return useCallback(
    async (isUnasked: boolean) => {
      const headers = isUnasked ? { [UNASKED_HEADER]: 'true' } : {};
      try {
        const { data } = await createToken({ context: { headers } });
        return data?.createToken ?? { failure: { code: 'UNKNOWN' } };
      } catch (error) {
        console.warn('Something went wrong');
        return { failure: failureOf(error) };
      }
    },
    [createToken],
  );
}
