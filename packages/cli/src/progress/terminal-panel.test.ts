import { expect, test } from 'vitest';
import type { ProgressSnapshot } from '@data-designer/engine';
import { screenOf } from '../../../../test/terminal-screen.ts';
import { panelLines, type PanelSize } from './panel-lines.ts';
import { TerminalPanel } from './terminal-panel.ts';

function snapshot(done: number, models = 2): ProgressSnapshot {
  const model = { aliases: [], inFlight: 1, limit: 8, waiting: 0, pausedMs: 0 };
  return {
    elapsedMs: 1000,
    rows: { wanted: 100, done, before: 0, lost: 0, perSecond: 2 },
    etaSeconds: 60,
    columns: [],
    groups: { total: 1, done: 0, open: 1 },
    cost: { soFar: null, forecast: null, budget: null, left: null },
    usage: {},
    models: Array.from({ length: models }, (_, index) => ({ ...model, model: `far/model-${index}` })),
    tools: { calls: 0, errors: 0 },
    flaws: [],
    failures: [],
  };
}

const drawn =
  (...of: Parameters<typeof snapshot>) =>
  (size: PanelSize) =>
    panelLines(snapshot(...of), size);

/** A terminal that records its writes. */
function terminalOf(size: { columns?: number; rows?: number } = { columns: 80, rows: 24 }, colours = false) {
  const frames: string[] = [];
  return { ...size, frames, hasColors: () => colours, write: (text: string) => frames.push(text) };
}

const rowsShown = (line = '') => /(\d+) of 100 rows/.exec(line)?.[1];

test('a panel is redrawn in place, with the cursor below it', () => {
  const terminal = terminalOf();
  const panel = new TerminalPanel(terminal);
  for (const done of [1, 20, 37]) panel.show(drawn(done));
  const { lines, cursor, hidCursor } = screenOf(terminal.frames.join(''));
  expect(lines).toHaveLength(4);
  expect(rowsShown(lines[0])).toBe('37');
  expect(cursor).toEqual({ line: 4, column: 0 });
  expect(hidCursor).toBe(false);
  expect(terminal.frames).toHaveLength(3);
});

test('printed events scroll above the panel', () => {
  const terminal = terminalOf({ columns: 40, rows: 8 });
  const panel = new TerminalPanel(terminal);
  for (let event = 1; event <= 20; event++) {
    panel.show(drawn(event));
    panel.print(`event ${event}${event === 7 ? ', told in more words than fit into one line' : ''}`);
  }
  const { lines } = screenOf(terminal.frames.join(''), { columns: 40, rows: 8 });
  expect(lines.filter((line) => line.startsWith('event'))).toHaveLength(20);
  expect(lines.filter((line) => rowsShown(line) !== undefined).map(rowsShown)).toEqual(['20']);
  expect(lines.at(-1)).toContain('far/model-1');
});

test('a panel with fewer lines than before leaves nothing behind', () => {
  const terminal = terminalOf();
  const panel = new TerminalPanel(terminal);
  panel.show(drawn(1, 6));
  panel.show(drawn(2, 1));
  expect(screenOf(terminal.frames.join('')).lines).toHaveLength(3);
});

test('disposing removes the panel and keeps the printed lines', () => {
  const terminal = terminalOf();
  const panel = new TerminalPanel(terminal);
  panel.print('begun');
  panel.show(drawn(1));
  panel.print('ended');
  panel[Symbol.dispose]();
  expect(screenOf(terminal.frames.join(''))).toMatchObject({
    lines: ['begun', 'ended'],
    cursor: { line: 2, column: 0 },
  });
});

test('a panel that never showed anything writes nothing to the terminal', () => {
  const terminal = terminalOf();
  new TerminalPanel(terminal)[Symbol.dispose]();
  expect(terminal.frames).toEqual([]);
});

test.each([
  { columns: 20, rows: 4 },
  { columns: 3, rows: 2 },
  { columns: 200, rows: 3 },
])('the panel fits into $columns columns and $rows lines', (size) => {
  const terminal = terminalOf(size);
  const panel = new TerminalPanel(terminal);
  for (const done of [1, 2, 3]) panel.show(drawn(done, 6));
  const { lines } = screenOf(terminal.frames.join(''), size);
  expect(lines.length).toBeLessThan(size.rows);
});

test('a terminal without a size is treated as one of the usual size', () => {
  const terminal = terminalOf({ columns: 0, rows: 0 });
  new TerminalPanel(terminal).show(drawn(5));
  expect(screenOf(terminal.frames.join('')).lines).toHaveLength(4);
});

test('a panel is redrawn in place after a narrower terminal has wrapped its lines', () => {
  const terminal = terminalOf({ columns: 80, rows: 24 });
  const panel = new TerminalPanel(terminal);
  panel.show(drawn(1));
  const wide = screenOf(terminal.frames.splice(0).join('')).lines;
  terminal.columns = 30;
  panel.show(drawn(2));
  const broken = wide.flatMap((line) => line.match(/.{1,30}/gu) ?? []);
  const { lines } = screenOf(`${broken.join('\n')}\n${terminal.frames.join('')}`, { columns: 30 });
  expect(lines.filter((line) => rowsShown(line) !== undefined).map(rowsShown)).toEqual(['2']);
  expect(lines).toHaveLength(4);
});

test('colours are used only if the terminal has them', () => {
  for (const colours of [true, false]) {
    const terminal = terminalOf({ columns: 80, rows: 24 }, colours);
    new TerminalPanel(terminal).show(drawn(5));
    expect(terminal.frames.join('').includes('\u001b[1m')).toBe(colours);
  }
});

test('printed text cannot move the cursor', () => {
  const terminal = terminalOf();
  new TerminalPanel(terminal).print('a\u001b[2Jb\rc');
  expect(screenOf(terminal.frames.join('')).lines).toEqual(['a [2Jb c']);
});
