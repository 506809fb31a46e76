import { track } from '../../analytics/track.ts';
import { askStream } from './connection/askStream.ts';
import { type Connection, type ConnectionReport, openConnection } from './connection/audioConnection.ts';
import type { SoundOutput } from './connection/soundOutput.ts';
import type { PlayerEffect } from './playerEffects.ts';
import { nextDueAt, type PlayerEvent, playerMachine } from './playerMachine.ts';
import { type Claim, PLAYER_AT_REST, type PlayerState } from './playerState.ts';
import { startTicks } from './ticks.ts';

const CHANNEL = 'player';

export type Player = {
  state(): PlayerState;
  subscribe(onChange: () => void): () => void;
  send(event: PlayerEvent): void;
  /** Returns the peak of what was heard last, from 0 to 1 whatever the volume; null if nothing is measured. */
  peak(): number | null;
  /** Whichever of the two elements is heard is the one in the document. Returns a cleanup function. */
  attach(inPage: HTMLAudioElement, spare: HTMLAudioElement): () => void;
  /** Calls `create` when lost sound needs a token. Returns a cleanup function. */
  onTokenWanted(create: () => void): () => void;
};

type Memory = { wasWanted(): boolean; keep(wanted: boolean): void };

/** Feeds the machine with what happens, and does what it asks for. */
export function runPlayer(output: SoundOutput, memory: Memory, askWhyUnopened = askStream): Player {
  const listeners = new Set<() => void>();
  const connections = new Map<number, Connection>();
  let state = PLAYER_AT_REST;
  let elements: { inPage: HTMLAudioElement; spare: HTMLAudioElement } | null = null;
  let channel: BroadcastChannel | null = null;
  let stopTicks: (() => void) | null = null;
  let createToken = () => {};
  let due: ReturnType<typeof setTimeout> | undefined;

  function send(event: PlayerEvent): void {
    const before = state;
    const at = { epochMs: Date.now(), monotonicMs: performance.now(), chance: Math.random() };
    const { state: after, effects } = playerMachine(before, { ...event, at });
    state = after;
    for (const effect of effects) run(effect);
    scheduleTicks();
    if (after !== before) for (const listener of listeners) listener();
  }

  function run(effect: PlayerEffect): void {
    switch (effect.type) {
      case 'open':
        output.unlock();
        // Inside a click handler, so that WebKit lets the spare element play later without a click of its own.
        elements?.spare.load();
        open(effect.id, effect.url, elements?.inPage, true);
        break;
      case 'openReplacement':
        // Without a fragment of its own Firefox would copy the first element's connection.
        open(effect.id, `${effect.url}#${effect.id}`, elements?.spare, false);
        break;
      case 'swap':
        if (elements) output.setAudible(elements.spare, true);
        swapElements();
        break;
      case 'close':
        connections.get(effect.id)?.close();
        connections.delete(effect.id);
        break;
      case 'hold':
        if (elements) output.setAudible(elements.inPage, false);
        connections.get(effect.id)?.beforeDetach();
        swapElements();
        break;
      case 'release':
        swapElements();
        connections.get(effect.id)?.resume();
        if (elements) output.setAudible(elements.inPage, true);
        break;
      case 'resume':
        connections.get(effect.id)?.resume();
        break;
      case 'askWhy':
        askWhy(effect.id, effect.url);
        break;
      case 'createToken':
        createToken();
        break;
      case 'tellOtherTabs':
        channel?.postMessage(effect.claim ?? 'stop');
        break;
      case 'remember':
        memory.keep(effect.wanted);
        break;
      case 'trackPlay':
        track('play');
    }
  }

  async function askWhy(id: number, url: string): Promise<void> {
    send({ type: 'answerLearned', id, answer: await askWhyUnopened(url) });
  }

  function open(id: number, url: string, element: HTMLAudioElement | undefined, audible: boolean): void {
    if (!element) return;
    output.setAudible(element, audible);
    const onReport = (report: ConnectionReport) => send({ type: 'connectionReported', id, report });
    const peak = () => output.peak(element);
    connections.set(id, openConnection(element, url, onReport, peak));
  }

  function swapElements(): void {
    if (!elements) return;
    elements.inPage.replaceWith(elements.spare);
    elements = { inPage: elements.spare, spare: elements.inPage };
  }

  function scheduleTicks(): void {
    if (!state.wanted) {
      stopTicks?.();
      stopTicks = null;
    } else {
      stopTicks ??= startTicks(tick);
    }
    clearTimeout(due);
    const dueAt = nextDueAt(state);
    if (dueAt !== null) due = setTimeout(() => send({ type: 'timePassed' }), dueAt - performance.now());
  }

  function tick(): void {
    for (const connection of connections.values()) connection.check();
    if (performance.now() >= (nextDueAt(state) ?? Number.POSITIVE_INFINITY)) send({ type: 'timePassed' });
  }

  function onOtherTab({ data }: MessageEvent<Claim | 'stop'>): void {
    send(data === 'stop' ? { type: 'otherTabStopped' } : { type: 'otherTabPlayed', claim: data });
  }

  return {
    state: () => state,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    send,
    peak: () => (state.connection && !state.held && elements ? output.peak(elements.inPage) : null),
    attach(inPage, spare) {
      elements = { inPage, spare };
      output.add(inPage);
      output.add(spare);
      channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(CHANNEL) : null;
      if (channel) channel.onmessage = onOtherTab;
      if (memory.wasWanted()) send({ type: 'pageReloaded' });
      return () => {
        send({ type: 'dashboardClosed' });
        channel?.close();
        output.close();
        elements = null;
      };
    },
    onTokenWanted(create) {
      createToken = create;
      return () => {
        createToken = () => {};
      };
    },
  };
}
