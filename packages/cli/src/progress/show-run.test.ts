import { expect, test } from 'vitest';
import { chooseSink } from './show-run.ts';

const TERMINAL = { isTTY: true, term: 'xterm' };

test.each([
  ['neither flag nor settings', { displayTui: null }, 'terminal-panel'],
  ['settings that disable the panel', { displayTui: false }, 'plain-lines'],
  ['settings that enable the panel', { displayTui: true }, 'terminal-panel'],
  ['a flag that enables the panel and settings that disable it', { tui: true, displayTui: false }, 'terminal-panel'],
  ['a flag that disables the panel and settings that enable it', { tui: false, displayTui: true }, 'plain-lines'],
])('chooses the display on a terminal with %s', (_, wishes, chosen) => {
  expect(chooseSink({ json: false, ...wishes }, TERMINAL)).toBe(chosen);
});

test.each([
  ['without a terminal', { isTTY: undefined, term: 'xterm' }],
  ['on a dumb terminal', { isTTY: true, term: 'dumb' }],
])('%s a run is shown as lines, even with --tui', (_, terminal) => {
  expect(chooseSink({ json: false, tui: true, displayTui: true }, terminal)).toBe('plain-lines');
});

test('--json wins over --tui', () => {
  expect(chooseSink({ json: true, tui: true, displayTui: true }, TERMINAL)).toBe('json-lines');
});
