import { AsyncLocalStorage } from 'node:async_hooks';
import util from 'node:util';

/** Set while text is made for a picture, which has colours whatever standard output has. */
const pictured = new AsyncLocalStorage<true>();

/** Text in a style; without colours if standard output has none. */
export function styled(style: Parameters<typeof util.styleText>[0], text: string): string {
  return util.styleText(style, text, { validateStream: pictured.getStore() === undefined });
}

/** Makes text with colours, also where standard output has none. */
export function withColours<Made>(make: () => Made): Made {
  return pictured.run(true, make);
}
