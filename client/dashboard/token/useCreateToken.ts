import { useMutation } from '@apollo/client/react';
import { useCallback } from 'react';
import { UNASKED_HEADER } from '../../../shared/headers.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import { CreateTokenDocument, type CreateTokenMutation } from '../../generated/graphql.ts';

export type CreateToken = (
  isUnasked: boolean,
) => Promise<CreateTokenMutation['createToken'] | { failure: Failure }>;

/** The returned function also works once the component is gone, as after an error while drawing. */
export function useCreateToken(): CreateToken {
  // Not cached: the cache may outlive the session.
  const [createToken] = useMutation(CreateTokenDocument, { fetchPolicy: 'no-cache' });
  return useCallback(
    async (isUnasked) => {
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
