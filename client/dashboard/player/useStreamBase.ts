import { useEffect, useState } from 'react';
import type { DashboardQuery } from '../../api/Operations.tsx';
import { localRecords } from '../../session/localRecords.ts';
import { renewedAccount } from '../../session/renewedAccount.ts';
import { backoffMs } from './backoff.ts';
import { onComeback } from './comeback.ts';

const LONGEST_RETRY_DELAY_MS = 30_000;

export type StreamBase = {
  /** The stream's base address, null until it is known. */
  baseUrl: string | null;
  /** The server was asked for the base address and has not answered so far. */
  serverSilent: boolean;
  /** Sets the base address when another operation answers with it first. */
  learnBase: (baseUrl: string | null) => void;
};

/**
 * Takes the stream's base address and the company's present name from the dashboard's query, and repeats the query while the
 * server cannot be reached.
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

  const session = data?.session;
  useEffect(() => {
    const renewed = renewedAccount(localRecords.account(), session);
    if (renewed) localRecords.signIn(renewed);
  }, [session]);

  const baseUrl = data?.stream.baseUrl ?? learned;
  return { baseUrl, serverSilent: baseUrl === null && failures > 0, learnBase };
}
