import { useEffect, useState } from 'react';
import type { DashboardQuery } from '../../api/Operations.tsx';
import { localRecords } from '../../session/localRecords.ts';
import { endRefusedSession } from '../../session/refusedSession.ts';
import { renewedAccount } from '../../session/renewedAccount.ts';
import { backoffMs } from './backoff.ts';
import { onComeback } from './comeback.ts';

const LONGEST_RETRY_DELAY_MS = 30_000;

/**
 * `baseUrl` is null until it is known; `serverSilent`: it was asked for, and there is no answer so far. `learnBase`: another
 * answer told it sooner.
 */
export type StreamBase = {
  baseUrl: string | null;
  serverSilent: boolean;
  learnBase: (baseUrl: string | null) => void;
};

/**
 * What the server says when it is asked once: whether the session stands, what its company is called by now, and where the stream
 * is. A server out of reach is asked again and again: only its own word ends the session.
 */
export function useStreamBase({ data, error, refetch }: DashboardQuery): StreamBase {
  const [failures, setFailures] = useState(0);
  const [learned, learnBase] = useState<string | null>(null);

  useEffect(() => {
    if (error) setFailures((before) => before + 1);
  }, [error]);

  useEffect(() => {
    if (data || failures === 0) return;
    const retry = () => {
      refetch().catch(() => undefined);
    };
    const timer = setTimeout(retry, backoffMs(failures, LONGEST_RETRY_DELAY_MS));
    const stopListening = onComeback(retry);
    return () => {
      clearTimeout(timer);
      stopListening();
    };
  }, [data, failures, refetch]);

  const refused = data?.session === null;
  useEffect(() => {
    if (refused) endRefusedSession();
  }, [refused]);

  const session = data?.session;
  useEffect(() => {
    const renewed = renewedAccount(localRecords.account(), session);
    if (renewed) localRecords.signIn(renewed);
  }, [session]);

  const baseUrl = data?.stream.baseUrl ?? learned;
  return { baseUrl, serverSilent: baseUrl === null && failures > 0, learnBase };
}
