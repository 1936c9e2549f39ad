import { expect, test } from 'vitest';
import { chooseSink } from './show-run.ts';

const TERMINAL = { isTTY: true, term: 'xterm' };

test.each([
  ['neither flag nor settings', { displayTui: null }, 'terminal-panel'],
  ['settings that say no', { displayTui: false }, 'plain-lines'],
  ['settings that say yes', { displayTui: true }, 'terminal-panel'],
  ['a flag that says yes and settings that say no', { tui: true, displayTui: false }, 'terminal-panel'],
  ['a flag that says no and settings that say yes', { tui: false, displayTui: true }, 'plain-lines'],
])('on a terminal, with %s', (_, wishes, chosen) => {
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
