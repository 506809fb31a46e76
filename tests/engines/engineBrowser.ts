/** A tab of a browser under test, driven by the few acts that every engine offers. */
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

const CONTROL = '\uE009';

type KeyAction = { type: 'keyDown' | 'keyUp'; value: string };

/** The input actions of WebDriver, classic and BiDi, that type a text. */
export function typing(text: string) {
  return keyboard([...text].flatMap((key) => [keyDown(key), keyUp(key)]));
}

export function pressingCtrl(letter: string) {
  return keyboard([keyDown(CONTROL), keyDown(letter), keyUp(letter), keyUp(CONTROL)]);
}

function keyboard(actions: KeyAction[]) {
  return { actions: [{ type: 'key', id: 'keyboard', actions }] };
}

function keyDown(value: string): KeyAction {
  return { type: 'keyDown', value };
}

function keyUp(value: string): KeyAction {
  return { type: 'keyUp', value };
}
