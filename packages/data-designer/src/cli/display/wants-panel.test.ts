import { expect, test } from 'vitest';
import { wantsPanel } from './wants-panel.ts';

const TERMINAL = { isTTY: true, term: 'xterm' };

test.each([
  ['nobody says anything', { tui: undefined, displayTui: null }, true],
  ['the settings say no', { tui: undefined, displayTui: false }, false],
  ['the settings say yes', { tui: undefined, displayTui: true }, true],
  ['the flag says yes and the settings no', { tui: true, displayTui: false }, true],
  ['the flag says no and the settings yes', { tui: false, displayTui: true }, false],
])('on a terminal, where %s', (_, wishes, wanted) => {
  expect(wantsPanel(wishes, TERMINAL)).toBe(wanted);
});

test.each([
  ['without a terminal', { isTTY: undefined, term: 'xterm' }],
  ['on a dumb terminal', { isTTY: true, term: 'dumb' }],
])('%s there is no panel, whoever wants it', (_, terminal) => {
  expect(wantsPanel({ tui: true, displayTui: true }, terminal)).toBe(false);
});
