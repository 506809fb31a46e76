import { vi } from 'vitest';

/** The few acts that every engine offers. */
export type EngineTab = {
  open(url: string): Promise<void>;
  /** Rejects when the element is missing. */
  click(xpath: string): Promise<void>;
  /** Types into the element that has the focus. */
  type(text: string): Promise<void>;
  pressCtrl(letter: string): Promise<void>;
  evaluate<Value>(expression: string): Promise<Value>;
};

export type EngineBrowser = EngineTab & {
  openTab(): Promise<EngineTab>;
  /** Stops the browser's processes for so long, as a sleeping machine does. */
  sleep?(seconds: number): Promise<void>;
  close(): Promise<void>;
};

/** Starts an engine whose programs see this environment beside PATH. */
export type LaunchEngine<Browser = EngineBrowser> = (env: Record<string, string>) => Promise<Browser>;

/** Waits until a program has written something, and returns what the expression captures of it. */
export function written(program: { output: string }, expression: RegExp): Promise<string> {
  return vi.waitFor(
    () => {
      const found = expression.exec(program.output)?.[1];
      if (found === undefined) throw new Error(`Not written: ${expression}\n${program.output}`);
      return found;
    },
    { timeout: 30_000 },
  );
}

const CONTROL = '\uE009';

/** The input actions of WebDriver, classic and BiDi, that type a text. */
export function typing(text: string) {
  return keyboard([...text].flatMap((key) => [down(key), up(key)]));
}

export function pressingCtrl(letter: string) {
  return keyboard([down(CONTROL), down(letter), up(letter), up(CONTROL)]);
}

const down = (value: string) => ({ type: 'keyDown', value });
const up = (value: string) => ({ type: 'keyUp', value });

function keyboard(actions: ReturnType<typeof down>[]) {
  return { actions: [{ type: 'key', id: 'keyboard', actions }] };
}
