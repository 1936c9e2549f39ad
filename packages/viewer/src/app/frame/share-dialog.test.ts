import { expect, test } from 'vitest';
import { shareCommands } from './share-dialog.tsx';

test('the commands that share a dataset name its folder', () => {
  expect(shareCommands('/data/facts', 120).map(([, command]) => command)).toEqual([
    'data-designer view /data/facts --bundle site',
    'data-designer report /data/facts --html report.html',
    'data-designer show /data/facts -n 20 --html records.html',
    '/data/facts',
  ]);
});

test.each([
  ['/data/my facts', "'/data/my facts'"],
  ['/data/"$HOME" `id`', '\'/data/"$HOME" `id`\''],
  ["/data/Ann's", String.raw`'/data/Ann'\''s'`],
])('the folder %s is one word of a shell', (path, word) => {
  const [[, command] = []] = shareCommands(path, 120);
  expect(command).toBe(`data-designer view ${word} --bundle site`);
});

test.each([
  [1200, 'The first 20 of 1,200 rows as one HTML file, without reviews and edits'],
  [20, 'All rows as one HTML file, without reviews and edits'],
])('the command that shows some of %d rows says how many', (rows, described) => {
  expect(shareCommands('/data/facts', rows)[2]?.[0]).toBe(described);
});
