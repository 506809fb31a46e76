import { track } from '../../analytics/track.ts';
import type { ConnectionEnd, ConnectionEvent } from '../../page/player/connectionEvents.ts';
import type { AudioEffect, PlayerEffect } from '../../page/player/playerEffects.ts';
import { nextDueAt, type PlayerEvent, playerMachine } from '../../page/player/playerMachine.ts';
import { type Given, PLAYER_AT_REST, type PlayerState } from '../../page/player/playerState.ts';
import type { StreamAnswer } from '../../page/player/streamAnswer.ts';
import { succeeds } from '../../page/succeeds.ts';
import { createDoublePressCheck } from './doublePress.ts';
import type { Together } from './published.ts';
import type { Clock } from './scheduler.ts';

export type StreamAudio = {
  run(effect: AudioEffect): void;
  /** Call it several times a second: for some changes an element fires no event. */
  check(): void;
  /** Returns the peak of the last sound, from 0 to 1, before the volume applies; null if nothing is measured. */
  peak(): number | null;
  close(): void;
};

export type AskStream = (url: string) => Promise<StreamAnswer>;

export type OpenAudio = (onEvent: (id: number, event: ConnectionEvent) => void) => StreamAudio;

export type Player = Pick<ReturnType<typeof createPlayer>, 'state' | 'send' | 'isDoublePress' | 'isClosed'>;

type PlayerOptions = {
  clock: Clock;
  openAudio: OpenAudio;
  askStream: AskStream;
  given(): Given;
  noteSound(isWanted: boolean): void;
  remember(wanted: boolean): void;
  onTick(): void;
  together: Together;
  changed(): void;
};

/** A connection on which one of these effects failed counts as ended: it is closed, and another one is attempted. */
const ENDS_AFTER_FAILURE: Partial<Record<PlayerEffect['type'], ConnectionEnd>> = {
  open: 'unopened',
  openReplacement: 'unopened',
  swap: 'lost',
  hold: 'lost',
  release: 'lost',
  resume: 'lost',
};

export function createPlayer(options: PlayerOptions) {
  const { clock, openAudio, askStream, given, noteSound, remember, onTick, together, changed } = options;
  const isDoublePress = createDoublePressCheck(clock);
  let state: PlayerState = PLAYER_AT_REST;
  let isClosed = false;
  let stopTicks: (() => void) | null = null;
  let audio: StreamAudio | null = null;
  // If that fails, each connection tries it again.
  succeeds(openedAudio);

  function openedAudio(): StreamAudio {
    audio ??= openAudio((id, event) => send({ type: 'connectionEvent', id, event }));
    return audio;
  }

  function send(event: PlayerEvent): void {
    const isPress = event.type === 'playPressed' || event.type === 'pausePressed';
    if (isClosed || (isPress && isDoublePress('play'))) return;
    together(() => {
      step(event);
      followTicks();
      changed();
    });
  }

  function step(event: PlayerEvent): void {
    const { state: next, effects } = playerMachine(state, event, given());
    state = next;
    for (const effect of effects.filter((each) => !succeeds(() => run(each)))) {
      const end = ENDS_AFTER_FAILURE[effect.type];
      if (end && 'id' in effect) step({ type: 'connectionEvent', id: effect.id, event: { type: end } });
    }
  }

  function run(effect: PlayerEffect): void {
    switch (effect.type) {
      case 'askWhy':
        void askWhy(effect.id, effect.url);
        break;
      case 'noteSound':
        noteSound(effect.isWanted);
        break;
      case 'remember':
        remember(effect.wanted);
        break;
      case 'trackPlay':
        track('play');
        break;
      default:
        openedAudio().run(effect);
    }
  }

  async function askWhy(id: number, url: string): Promise<void> {
    const answer = await askStream(url).catch((): StreamAnswer => 'none');
    send({ type: 'answerLearned', id, answer });
  }

  function followTicks(): void {
    if (state.wanted) {
      stopTicks ??= clock.startTicks(tick);
    } else {
      stopTicks?.();
      stopTicks = null;
    }
  }

  function tick(): void {
    together(() => {
      audio?.check();
      // A token may be valid again, where the clock was set.
      if (state.connection === null) send({ type: 'timePassed' });
      onTick();
    });
  }

  return {
    state: () => state,
    send,
    isDoublePress,
    isClosed: () => isClosed,
    peak: () => (state.connection && !state.held ? (audio?.peak() ?? null) : null),
    dueAt: () => nextDueAt(state),
    onTime: () => send({ type: 'timePassed' }),
    close(): void {
      send({ type: 'stopped' });
      isClosed = true;
      succeeds(() => audio?.close());
    },
  };
}
